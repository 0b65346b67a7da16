#include "vtpu/state.h"

#include <string.h>

#include "base/hash.h"

void vtpu_state_open(struct vtpu_state *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->memory = vtpu_memory_new();
    for (unsigned k = 0; k < VTPU_R; k++)
        s->r[k] = hash_number(seed, k) | 1;
    for (unsigned k = 0; k < VTPU_P; k++) {
        for (int d = 0; d < COORD_DIMS; d++)
            s->p[k].dim[d] = 1;
        s->p[k].dim[0] = (uint16_t)(k + 1);
        s->cell[k] = vtpu_memory_cell(s->memory, &s->p[k]);
        *s->cell[k] = hash_number(~seed, k) | 1;
    }
}

void vtpu_state_close(struct vtpu_state *s)
{
    vtpu_memory_free(s->memory);
    memset(s, 0, sizeof *s);
}

const char *vtpu_state_difference(const struct vtpu_state *a, const struct vtpu_state *b)
{
    struct vtpu_memory_stats sa = vtpu_memory_stats(a->memory), sb = vtpu_memory_stats(b->memory);
    if (memcmp(a->r, b->r, sizeof a->r) != 0)
        return "general registers";
    if (memcmp(a->p, b->p, sizeof a->p) != 0)
        return "coordinate registers";
    if (memcmp(a->m, b->m, sizeof a->m) != 0)
        return "message registers";
    if (a->depth != b->depth ||
        memcmp(a->inbox, b->inbox, (size_t)(a->depth + 1) * sizeof a->inbox[0]) != 0)
        return "inbox";
    if (a->barriers != b->barriers || a->fences != b->fences)
        return "barriers and fences";
    if (vtpu_memory_sum(a->memory) != vtpu_memory_sum(b->memory))
        return "memory";
    if (sa.hits != sb.hits || sa.misses != sb.misses || sa.regions != sb.regions)
        return "translations";
    return NULL;
}

void vtpu_index(struct vtpu_state *s, const struct vtpu_op *op)
{
    struct coord c = s->p[op->a];
    int moved = c.dim[op->dim] + op->offset;
    if (moved < 1)
        moved = 1;
    else if (moved > COORD_MAX)
        moved = COORD_MAX;
    c.dim[op->dim] = (uint16_t)moved;
    s->p[op->rd % VTPU_P] = c;
    s->cell[op->rd % VTPU_P] = vtpu_memory_cell(s->memory, &c);
    s->r[op->rd] = (uint64_t)moved;
}

enum { LOW_BITS = 0x55555555 };

static uint64_t low_bits(void)
{
    return (uint64_t)LOW_BITS << 32 | LOW_BITS;
}

int vtpu_trit_sum(uint64_t t)
{
    uint64_t plus = t & ~(t >> 1) & low_bits(), minus = t >> 1 & ~t & low_bits();
    return __builtin_popcountll(plus) - __builtin_popcountll(minus);
}

int vtpu_trit_count(uint64_t t)
{
    return __builtin_popcountll((t ^ t >> 1) & low_bits());
}
