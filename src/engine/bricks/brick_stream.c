#include "engine/bricks/brick_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"

void brick_stream_free(struct brick_stream *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->told[i].heads);
    free(s->told);
    ids_free(&s->by_program);
    s->told = NULL;
    s->n = s->cap = 0;
}

struct brick_told *brick_stream_program(struct brick_stream *s, uint64_t program, bool *fresh)
{
    const uint32_t i = ids_number(&s->by_program, program, fresh);
    if (*fresh)
        LIST_ADD(s->told, s->n, s->cap, (struct brick_told){.program = program});
    return &s->told[i];
}

bool brick_told_advance(struct brick_told *t, uint32_t region, uint64_t record)
{
    if (region >= t->regions) {
        t->heads = xrealloc(t->heads, region + (size_t)1, sizeof *t->heads);
        memset(t->heads + t->regions, 0, (region + (size_t)1 - t->regions) * sizeof *t->heads);
        t->regions = region + 1;
    }
    if (record < t->heads[region])
        return false;
    t->heads[region] = record + 1;
    return true;
}
