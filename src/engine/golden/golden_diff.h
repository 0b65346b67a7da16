/* The differences between a stored golden trace and a run. */
#pragma once

#include "engine/golden/golden.h"

/* A stretch of lines of one section that is replaced: lines [from, from + n) of each side. */
struct golden_hunk {
    const char *title; /* of the section; borrowed from the side that has it */
    size_t stored_from, stored_n, run_from, run_n;
};

struct golden_diff {
    struct golden_hunk *list; /* by section, then by line */
    size_t n, cap;
};

/*
 * Compares the parts that both have: if one has only GOLDEN_EFFECTS, only effects. Both must
 * outlive out. Finds the fewest lines (base/edits.h) up to GOLDEN_EDITS in a section; with more,
 * all from the first line that differs to the last are one hunk.
 */
enum { GOLDEN_EDITS = 2000 };
void golden_compare(const struct golden *stored, const struct golden *run, struct golden_diff *out);
void golden_diff_free(struct golden_diff *d);

/* The section of this title, or NULL. */
const struct golden_section *golden_section_find(const struct golden *g, const char *title);
/* Copies the run's lines of hunk i into the stored trace. Later hunks of d stay valid if hunks are
 * accepted from the last to the first. */
void golden_accept(struct golden *stored, const struct golden *run, const struct golden_diff *d,
                   size_t i);
