/*
 * The probes of all files that were read: which make wanted pairs, and at which places of which
 * files they are.
 */
#ifndef ROOFTOP_BACKENDS_USDT_PLACES_H
#define ROOFTOP_BACKENDS_USDT_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/bricks/probe_pairs.h"
#include "symbols/objects.h"

enum { PLACES_FILES_MAX = 4096, PLACES_MAX = 16384 };
#define PLACES_NONE UINT32_MAX

struct probe_place {
    const char *path;
    unsigned long long dev, inode; /* identify the file of the place */
    uint64_t offset, semaphore_offset;
    uint32_t probe;
    bool tried; /* set by the caller once it tried to watch the place */
};

struct place_probe {
    struct probe_name name;
    uint32_t begins, ends; /* the first pair that it begins or ends; PLACES_NONE */
};
struct place_pair {
    struct probe_pair pair;
    uint32_t next_begin, next_end; /* the next pair with the same begin or the same end */
};

struct probe_places {
    struct probe_patterns patterns;
    struct probe_place *list;
    size_t n;
    struct place_probe *probes;
    size_t nprobes;
    struct place_pair *pairs;
    size_t npairs;
    struct place_file {
        unsigned long long dev, inode;
    } * files; /* files that were read */
    size_t nfiles;
    size_t unlocated;         /* places where there can be no breakpoint */
    struct probe_name *names; /* of probes, for the search */
    struct arena texts;
};

/* Parses the patterns. ERROR_USAGE. Call places_free also after an error. */
int places_init(struct probe_places *p, const char *patterns, struct error *err);
/*
 * Reads the files that were not read yet; true where there was something new. Places, probes and
 * pairs keep their numbers.
 */
bool places_look(struct probe_places *p, const struct objects *o);
/* Whether the probe belongs to a pair. */
bool places_wanted(const struct probe_places *p, uint32_t probe);
void places_free(struct probe_places *p);

#endif
