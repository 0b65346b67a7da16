/* What the files of the reader share. */
#ifndef ROOFTOP_BACKENDS_BRICK_READER_IMPL_H
#define ROOFTOP_BACKENDS_BRICK_READER_IMPL_H

#include "backends/brick/reader.h"
#include "base/arena.h"
#include "base/ids.h"

/* One region: how its nodes map to those of the program, and what was last read. */
struct thread_region {
    uint64_t at; /* offset; 0: not known yet */
    struct brick_thread thread;
    uint32_t *node; /* node of the program, by node of the region */
    uint64_t *version;
    struct brick_sums *sums;
    struct brick_counts *counts; /* NULL: nothing was counted so far */
    uint32_t nnodes, ncounts;    /* ncounts: of counts */
    uint64_t head;               /* records read so far */
    uint64_t lost_until;         /* ns: the newest end of its overwritten spans */
};

struct brick_reader {
    int fd;
    char *path;
    uint64_t size;
    struct brick_header header;
    struct brick_what *whats;
    uint32_t nwhats;
    struct arena texts;
    struct thread_region *regions;
    struct brick_thread_info *threads;
    uint32_t nregions;
    uint32_t region_nodes; /* of all regions */
    struct brick_node *nodes;
    uint32_t nnodes, nodes_cap;
    struct brick_counts *counts; /* by node; NULL: none so far */
    uint32_t ncounts;
    struct brick_counter counters[BRICK_COUNTERS];
    uint32_t ncounters;
    struct ids children; /* by parent and description */
    struct brick_event *events;
    size_t nevents, events_cap, nold; /* nold: of them, those read before the last poll */
    uint64_t missed;
    bool polled; /* recent counts were shown: the next ones begin at 0 */
};

/* Says that the file is damaged at this byte; returns -EINVAL. */
int brick_reader_damaged(const struct brick_reader *r, struct error *err, uint64_t at,
                         const char *why);
/* Copies bytes of the file; false where it does not have them. */
bool brick_reader_get(const struct brick_reader *r, uint64_t at, void *to, size_t size);
/* Copies a text of the table of strings and makes it printable; it lives as long as the reader. */
const char *brick_reader_text(struct brick_reader *r, const char *strings, uint32_t at);

/* --- reader_counts.c --- */
/* Reads once what is counted: the program says it before it has a node. */
int brick_reader_read_counters(struct brick_reader *r, struct error *err);
/* Adds what was counted in a node of the program since the last look at a region's node. */
void brick_reader_add_counts(struct brick_reader *r, uint32_t node, const struct brick_counts *now,
                             const struct brick_counts *before);

#endif
