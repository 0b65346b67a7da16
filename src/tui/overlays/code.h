/* Source or instructions of one function, with the share of the samples of each line. */
#pragma once

#include "engine/code/code.h"

struct app;

/* The number of samples of each line of the shown code. */
struct code_share {
    uint64_t *samples, highest, sum;
    size_t cap;
};

/* What the overlay remembers; part of the app. */
struct app_code {
    struct code_job *job; /* created when first needed */
    struct code *code;    /* NULL: not read yet */
    struct code_share share;
    bool assembly;
    bool jump;           /* go to the hottest line when the lines have come */
    bool chosen;         /* the user chose between source and instructions */
    char no_source[400]; /* why instructions are shown although source was wanted; "" */
    char file[512];      /* the source file that is read or shown */
    char function[256];  /* its function */
};

void app_code_free(struct app *a);
