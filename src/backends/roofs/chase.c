#include "backends/roofs/chase.h"

#include <errno.h>
#include <stdlib.h>

#include "backends/roofs/loops.h"
#include "base/arena.h"

enum { LINE = 64 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

int chase_make(struct chase *c, size_t bytes, enum roof_pages pages, struct roof_place place)
{
    size_t n = bytes / LINE;
    uint64_t state = 0x9e3779b97f4a7c15u;
    *c = (struct chase){.bytes = bytes};
    uint32_t *order = malloc(n * sizeof *order);
    c->memory = roof_memory(bytes, pages, place);
    if (!c->memory || !order || n < 2) {
        free(order);
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (size_t i = n - 1; i > 0; i--) {
        size_t k = next_random(&state) % i;
        uint32_t swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
    }
    for (size_t i = 0; i < n; i++)
        *(void **)(void *)(c->memory + (size_t)i * LINE) = c->memory + (size_t)order[i] * LINE;
    free(order);
    c->first = (void **)(void *)c->memory;
    return 0;
}

void chase_run(struct chase *c, uint64_t iterations)
{
    c->first = chase_loop(c->first, iterations);
}

void chase_free(struct chase *c)
{
    roof_memory_free(c->memory, c->bytes);
    *c = (struct chase){.bytes = 0};
}
