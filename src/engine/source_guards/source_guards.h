/* Guards that compare the source of a candidate with that of the baseline: how the function may
 * change, and what may be new around it. docs/JUDGE.md describes what each searches. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/judge/judge.h"
#include "engine/source_guards/syntax.h"

struct source_versions {
    const struct syntax_tree *baseline, *candidate;
    const char *function; /* whose body may change */
    const bool *allow;    /* of JUDGE_GUARDS; NULL: none is switched off */
};

/* Returns 0 if no guard refuses the source, or 1 with the first refusal. */
int source_guards_check(const struct source_versions *v, struct judge_refusal *out);

/* What a name of a function stands for. */
enum source_name {
    NAME_PLAIN,      /* no function of the tables */
    NAME_ARITHMETIC, /* mathematics, memory, intrinsics: may be called */
    NAME_BARRIER,
    NAME_ATOMIC,
    NAME_LANES, /* works with the lanes of a wave, or tells its width; may be called if the baseline
                   called it */
    NAME_TIME,
    NAME_WORLD, /* environment, files, processes, threads, what is loaded */
    NAME_STACK  /* tells where it is called from */
};
enum source_name source_name_of(const char *function);
const char *source_name_words(enum source_name n); /* "a timer"; "" of the first two */

/* What must not be in a loop that is unrolled; the first three also not in functions that it
 * calls. */
enum source_stop {
    SOURCE_BARRIER,
    SOURCE_ATOMIC,
    SOURCE_SHARED, /* dynamic shared memory */
    SOURCE_BREAK,  /* of a loop */
    SOURCE_RETURN,
    SOURCE_GOTO,
    SOURCE_STOPS
};
const char *source_stop_name(enum source_stop s);

struct source_counts {
    uint32_t all[SOURCE_STOPS], in_loop[SOURCE_STOPS];
    bool called; /* by a function of the file */
};
struct source_stops {
    uint8_t *of;                  /* of each node: the enum source_stop that it is or leads to */
    struct source_counts *counts; /* of the nodes of functions, with the functions they call */
};
/* The enum source_name of each reference and call. The caller frees it. */
uint8_t *source_names_find(const struct syntax_tree *t);
/* names: made by source_names_find. */
void source_stops_find(struct source_stops *s, const struct syntax_tree *t, const uint8_t *names);
void source_stops_free(struct source_stops *s);
