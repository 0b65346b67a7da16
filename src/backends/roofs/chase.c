#include "backends/roofs/roofs_impl.h"

#include <errno.h>

enum { LINE = 64 };

static uint64_t next_chase_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void **chase_line(const struct chase *c, size_t i)
{
    return (void **)(void *)(c->memory + i * LINE);
}

void chase_lay(struct chase *c, char *memory, size_t most)
{
    *c = (struct chase){
        .memory = memory, .bytes = LINE, .most = most, .lent = true, .random = 0x9e3779b97f4a7c15u};
    c->first = chase_line(c, 0);
    *c->first = c->first;
}

int chase_make(struct chase *c, size_t most, enum roof_pages pages, struct roof_place place)
{
    char *memory = most < LINE ? NULL : roof_memory_reserve(most, pages, place);
    *c = (struct chase){.memory = NULL};
    if (!memory)
        return -ENOMEM;
    chase_lay(c, memory, most);
    c->lent = false;
    return 0;
}

void chase_grow(struct chase *c, size_t bytes)
{
    for (size_t i = c->bytes / LINE; i < bytes / LINE; i++) {
        void **before = chase_line(c, next_chase_random(&c->random) % i);
        *chase_line(c, i) = *before;
        *before = chase_line(c, i);
        c->bytes = (i + 1) * LINE;
    }
}

void chase_run(struct chase *c, uint64_t iterations)
{
    c->first = chase_loop(c->first, iterations);
}

void chase_free(struct chase *c)
{
    if (!c->lent)
        roof_memory_free(c->memory, c->most);
    *c = (struct chase){.bytes = 0};
}
