#include "backends/roofs/streams.h"

#include "backends/roofs/roof_memory.h"

/* Array k begins some lines later than a power of two, so that arrays do not share cache sets. */
static char *array_of(const struct stream_part *p, unsigned k)
{
    return p->memory + k * (p->array + 1088) + p->at;
}

static size_t memory_of(const struct stream_part *p)
{
    return p->loop->arrays * (p->array + 1088) + 4096;
}

void stream_make(struct stream_part *p)
{
    p->memory = roof_memory(memory_of(p), PAGES_HUGE, p->place);
}

void stream_free(struct stream_part *p)
{
    roof_memory_free(p->memory, memory_of(p));
}

size_t stream_pass(struct stream_part *p, uint64_t times)
{
    size_t left = p->array - p->at, chunk = left < p->chunk ? left : p->chunk;
    p->loop->run(array_of(p, 0), array_of(p, p->loop->arrays > 1),
                 array_of(p, p->loop->arrays > 2 ? 2 : 0), chunk, times);
    p->at = chunk == left ? 0 : p->at + chunk;
    return chunk;
}
