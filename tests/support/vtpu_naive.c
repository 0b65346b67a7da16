#include "support/vtpu_naive.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

struct cell {
    int at[COORD_DIMS]; /* dimensions 0 to 2 modulo 128, the others modulo 256 */
    int64_t value;
};

struct naive_vtpu {
    int64_t r[32], message[16][2], inbox[64];
    int p[16][COORD_DIMS];
    int inbox_n, barriers, fences;
    struct cell *cells;
    size_t n;
};

static int64_t *find_cell(struct naive_vtpu *v, const int *coord)
{
    struct cell wanted = {{0}, 0};
    for (int k = 0; k < COORD_DIMS; k++)
        wanted.at[k] = coord[k] % (k < 3 ? 128 : 256);
    for (size_t i = 0; i < v->n; i++)
        if (memcmp(v->cells[i].at, wanted.at, sizeof wanted.at) == 0)
            return &v->cells[i].value;
    v->cells = realloc(v->cells, (v->n + 1) * sizeof *v->cells);
    v->cells[v->n] = wanted;
    return &v->cells[v->n++].value;
}

struct naive_vtpu *naive_new(const struct vtpu_state *s)
{
    struct naive_vtpu *v = calloc(1, sizeof *v);
    for (int k = 0; k < 32; k++)
        v->r[k] = (int64_t)s->r[k];
    for (int k = 0; k < 16; k++) {
        for (int d = 0; d < COORD_DIMS; d++)
            v->p[k][d] = s->p[k].dim[d];
        *find_cell(v, v->p[k]) = (int64_t)*s->cell[k];
    }
    return v;
}

void naive_free(struct naive_vtpu *v)
{
    free(v->cells);
    free(v);
}

static int64_t rotate(int64_t value, int by)
{
    uint64_t v = (uint64_t)value;
    for (int i = 0; i < by; i++)
        v = v << 1 | v >> 63;
    return (int64_t)v;
}

static int bit(int64_t v, int k)
{
    return (int)((uint64_t)v >> k & 1);
}

/* Adds up what each of 32 trits is: with count, 1 for each that is +1 or -1. */
static int trits(int64_t v, bool count)
{
    int sum = 0;
    for (int k = 0; k < 64; k += 2) {
        if (!bit(v, k + 1) && bit(v, k))
            sum++;
        if (bit(v, k + 1) && !bit(v, k))
            sum += count ? 1 : -1;
    }
    return sum;
}

static int equal_bits(int64_t a, int64_t b)
{
    int n = 0;
    for (int k = 0; k < 64; k++)
        n += bit(a, k) == bit(b, k);
    return n;
}

static int64_t wrapped(wide v)
{
    return (int64_t)(uint64_t)v;
}

static void run_d(struct naive_vtpu *v, const struct siw *w)
{
    const struct vtpu_op *op = &w->slot[VTPU_PIPE_D];
    /* a rotation's b is a number of bits, not a register */
    wide a = v->r[op->a], b = v->r[op->b % 32], c = v->r[op->c];
    int64_t *to = &v->r[op->rd];
    switch (op->code) {
    case VTPU_DADD:
    case VTPU_DHDBUND:
        *to = wrapped(a + b);
        break;
    case VTPU_DSUB:
        *to = wrapped(a - b);
        break;
    case VTPU_DMUL:
        *to = wrapped(a * b);
        break;
    case VTPU_DFMA:
        *to = wrapped((wide)wrapped(a * b) + c);
        break;
    case VTPU_DCMP:
        *to = a < b ? -1 : a > b ? 1 : 0;
        break;
    case VTPU_DSEL:
        *to = c == 0 ? (int64_t)b : (int64_t)a;
        break;
    case VTPU_DMOV:
        *to = w->imm;
        break;
    case VTPU_DRED:
        *to = (int64_t)a;
        break;
    case VTPU_DHDENC:
    case VTPU_DHDPERM:
        *to = rotate((int64_t)a, op->b % 64);
        break;
    case VTPU_DHDBIND:
        *to = (int64_t)a ^ (int64_t)b;
        break;
    case VTPU_DHDSIM:
        *to = equal_bits((int64_t)a, (int64_t)b);
        break;
    case VTPU_DTERNARY:
        *to = wrapped(a * trits((int64_t)b, false));
        break;
    case VTPU_DTPOP:
        *to = trits((int64_t)a, true);
        break;
    case VTPU_DTACC:
        *to = wrapped(*to + a);
        break;
    }
}

static void run_s(struct naive_vtpu *v, const struct vtpu_op *op)
{
    int to[COORD_DIMS];
    switch (op->code) {
    case VTPU_SGATHER:
        v->r[op->rd] = *find_cell(v, v->p[op->a]);
        break;
    case VTPU_SDEDUP:
        v->r[op->rd] = v->r[op->a];
        break;
    case VTPU_SSCATTR:
        *find_cell(v, v->p[op->a]) = v->r[op->b];
        break;
    case VTPU_SINDEX:
        memcpy(to, v->p[op->a], sizeof to);
        to[op->dim] += op->offset;
        if (to[op->dim] < 1)
            to[op->dim] = 1;
        if (to[op->dim] > 2047)
            to[op->dim] = 2047;
        memcpy(v->p[op->rd % 16], to, sizeof to);
        v->r[op->rd] = to[op->dim];
        break;
    case VTPU_SALLOC:
        v->r[op->rd] = op->offset;
        break;
    }
}

static void run_c(struct naive_vtpu *v, const struct vtpu_op *op)
{
    switch (op->code) {
    case VTPU_CPACK:
        v->message[op->rd][0] = v->r[op->a];
        v->message[op->rd][1] = v->r[op->b];
        break;
    case VTPU_CSEND:
        if (v->inbox_n < 64)
            v->inbox[v->inbox_n++] = v->message[op->a][0];
        break;
    case VTPU_CRECV:
        v->r[op->rd] = v->inbox_n ? v->inbox[--v->inbox_n] : 0;
        break;
    case VTPU_CBAR:
        v->barriers++;
        break;
    case VTPU_CFENCE:
        v->fences++;
        break;
    case VTPU_CREDUCE:
    case VTPU_CCAST:
    case VTPU_CSLICE:
    case VTPU_CMERGE:
        v->r[op->rd] = 0;
        break;
    }
}

void naive_run(struct naive_vtpu *v, const struct siw *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        run_d(v, &words[i]);
        run_s(v, &words[i].slot[VTPU_PIPE_S]);
        run_c(v, &words[i].slot[VTPU_PIPE_C]);
    }
}

const char *naive_difference(const struct naive_vtpu *v, const struct vtpu_state *s)
{
    if (memcmp(v->r, s->r, sizeof v->r) != 0)
        return "general registers";
    for (int k = 0; k < 16; k++) {
        if ((uint64_t)v->message[k][0] != s->m[k][0] || (uint64_t)v->message[k][1] != s->m[k][1])
            return "message registers";
        for (int d = 0; d < COORD_DIMS; d++)
            if (v->p[k][d] != s->p[k].dim[d])
                return "coordinate registers";
    }
    if ((size_t)v->inbox_n != s->depth ||
        memcmp(v->inbox, s->inbox + 1, (size_t)v->inbox_n * sizeof v->inbox[0]) != 0)
        return "inbox";
    if ((size_t)v->barriers != s->barriers || (size_t)v->fences != s->fences)
        return "barriers and fences";
    for (size_t i = 0; i < v->n; i++) {
        struct coord c = {{0}, 0, 0};
        for (int k = 0; k < COORD_DIMS; k++)
            c.dim[k] = (uint16_t)v->cells[i].at[k];
        if (*vtpu_memory_cell(s->memory, &c) != (uint64_t)v->cells[i].value)
            return "memory";
    }
    return NULL;
}
