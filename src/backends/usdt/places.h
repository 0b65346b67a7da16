/*
 * The probes of all files that were looked at: which of them make pairs that are wanted, and at
 * which places of which files they are.
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

struct place {
    const char *path;
    unsigned long long dev, inode; /* of the file in which the place was found */
    uint64_t offset, semaphore_offset;
    uint32_t probe;
    bool tried; /* the caller's: somebody watches it, or could not */
};

struct place_probe {
    struct probe_name name;
    uint32_t begins, ends; /* the first of the pairs it is begin or end of; PLACES_NONE */
};
struct place_pair {
    struct probe_pair pair;
    uint32_t next_begin, next_end; /* the next pair with the same begin, the same end */
};

struct places {
    struct probe_patterns patterns;
    struct place *list;
    size_t n;
    struct place_probe *probes;
    size_t nprobes;
    struct place_pair *pairs;
    size_t npairs;
    struct place_file {
        unsigned long long dev, inode;
    } * files; /* looked at */
    size_t nfiles;
    size_t unlocated;         /* places that are not where a breakpoint could be */
    struct probe_name *names; /* of probes, for the search */
    struct arena texts;
};

/* ERROR_USAGE. */
int places_init(struct places *p, const char *patterns, struct error *err);
/* Looks at what was not looked at yet; true where there was something new. Places, probes and pairs
 * keep their numbers. */
bool places_look(struct places *p, const struct objects *o);
/* Whether it is part of a pair. */
bool places_wanted(const struct places *p, uint32_t probe);
void places_free(struct places *p);

#endif
