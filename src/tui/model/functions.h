/*
 * Hot functions for the views: the profile of the chosen window and values derived from it. The app
 * makes it (app_functions.c) just before drawing.
 */
#pragma once

#include "base/hash.h"
#include "engine/functions/functions.h"
#include "engine/functions/hot_stacks.h"

struct functions {
    const struct hot_stacks *stacks; /* of the window; NULL: nothing was sampled yet */
    /* symbols with samples, those with most samples of their own first */
    const struct function_row *rows;
    size_t nrows;
    const uint64_t *node_total; /* per node of the profile: samples in it and below */
    const uint64_t *node_id;    /* identity of the node's call path, the same in all pictures */
    uint64_t folded;            /* samples whose path was dropped: there were too many paths */
    double window_s;            /* the chosen window in seconds; 0 = everything */
    /* sampling was asked for; the first profile may not have come yet */
    bool asked;
    bool opened;       /* an opened trace of system calls has stacks: they are shown */
    char summary[128]; /* of an opened trace of system calls: how many; "" these are samples */
    char missing[128]; /* of that: what is not in the stacks; "" nothing */
};

/* The identity of a symbol, the same in all pictures. */
static inline uint64_t functions_symbol_id(const struct hot_symbol *s)
{
    return hash_text(hash_text(hash_text(s->inlined, s->name), s->module), s->file);
}
