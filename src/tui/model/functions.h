/*
 * Hot functions for the views: the profile of the chosen window and values derived from it. The app
 * makes it (app_functions.c) just before drawing.
 */
#ifndef ROOFTOP_TUI_MODEL_FUNCTIONS_H
#define ROOFTOP_TUI_MODEL_FUNCTIONS_H

#include "engine/hot/functions.h"
#include "engine/hot/profile.h"

struct functions {
    const struct profile *profile;   /* of the window; NULL: nothing was sampled yet */
    const struct function_row *rows; /* those with samples, most of their own first */
    size_t nrows;
    const uint64_t *node_total; /* per node of the profile: samples in it and below */
    const uint64_t *node_id;    /* identity of its call path: the same from picture to picture */
    uint64_t folded;            /* samples whose path was not kept: there are too many */
    double window_s;            /* as chosen; 0 = all there is */
    bool asked;                 /* sampling is asked for; the first profile may not be here yet */
};

/* Identity of a symbol, from picture to picture. */
uint64_t functions_symbol_id(const struct profile_symbol *s);

#endif
