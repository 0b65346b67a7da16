#include "backends/roofs/roofs_impl.h"

/* Array k begins some lines later than a power of two, so that arrays do not share cache sets. */
static char *array_of(const struct stream_part *p, unsigned k)
{
    return p->memory + k * (p->array + 1088) + p->at;
}

static size_t stream_part_bytes(const struct stream_part *p)
{
    return p->loop->arrays * (p->array + 1088) + 4096;
}

void stream_take(struct stream_part *p, struct stream_room *room, size_t least)
{
    size_t need = stream_part_bytes(p);
    if (room->bytes < need) {
        stream_room_free(room);
        need = need > least ? need : least;
        room->memory = roof_memory(need, PAGES_HUGE, (struct roof_place){false, 0});
        room->bytes = room->memory ? need : 0;
    }
    p->memory = room->memory;
}

void stream_room_free(struct stream_room *room)
{
    roof_memory_free(room->memory, room->bytes);
    *room = (struct stream_room){NULL, 0};
}

size_t stream_pass(struct stream_part *p, uint64_t times)
{
    size_t left = p->array - p->at, chunk = left < p->chunk ? left : p->chunk;
    p->loop->run(array_of(p, 0), array_of(p, p->loop->arrays > 1),
                 array_of(p, p->loop->arrays > 2 ? 2 : 0), chunk, times);
    p->at = chunk == left ? 0 : p->at + chunk;
    return chunk;
}
