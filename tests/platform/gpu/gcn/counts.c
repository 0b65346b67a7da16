// The counts of a dispatch.
#include "gcn.h"
#include <stdlib.h>

enum { FIRST_PLACES = 1024 };

// A place of the table holds line + 1 in its upper bits, and below GCN_LOADS and GCN_STORES.
static uint64_t *place_of(const struct gcn_counts *c, uint64_t line)
{
    uint64_t at = (line + 1) * 0x9e3779b97f4a7c15u >> 20 & (c->places - 1);
    while (c->seen[at] && c->seen[at] >> 2 != line + 1)
        at = (at + 1) & (c->places - 1);
    return &c->seen[at];
}

static void grow(struct gcn_counts *c)
{
    const struct gcn_counts old = *c;
    c->places = old.places ? 2 * old.places : FIRST_PLACES;
    c->seen = calloc(c->places, sizeof *c->seen);
    if (!c->seen)
        abort();
    for (uint64_t i = 0; i < old.places; i++)
        if (old.seen[i])
            *place_of(c, (old.seen[i] >> 2) - 1) = old.seen[i];
    free(old.seen);
}

static void remember(struct gcn_counts *c, uint64_t line, unsigned how)
{
    if (2 * c->used >= c->places)
        grow(c);
    uint64_t *place = place_of(c, line);
    c->used += *place == 0;
    const uint64_t before = *place & 3;
    *place = (line + 1) << 2 | before | how;
    c->loaded += (how & GCN_LOADS) && !(before & GCN_LOADS);
    c->stored += (how & GCN_STORES) && !(before & GCN_STORES);
}

void gcn_touch(struct gcn_counts *c, uint64_t address, uint32_t bytes, unsigned how)
{
    for (uint64_t line = address / 64; c && line <= (address + bytes - 1) / 64; line++) {
        if (c->touched[line % 64] == c->instructions && c->line[line % 64] == line)
            continue;
        c->touched[line % 64] = c->instructions;
        c->line[line % 64] = line;
        c->lines++;
        if (!(how & GCN_PRIVATE))
            remember(c, line, how);
    }
}

void gcn_counts_free(struct gcn_counts *c)
{
    free(c->seen);
    *c = (struct gcn_counts){0};
}
