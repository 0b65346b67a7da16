/* Source or instructions of one function, with the share of the samples of each line. */
#ifndef ROOFTOP_TUI_OVERLAYS_CODE_H
#define ROOFTOP_TUI_OVERLAYS_CODE_H

#include "engine/code/code.h"

struct app;

/* What the overlay remembers; part of the app. */
struct app_code {
    struct code_job *job; /* made when first needed */
    struct code *code;    /* NULL: not read yet */
    bool assembly;
    bool jump;           /* to the hottest line, once there are lines */
    bool chosen;         /* the user asked for this one of the two */
    char no_source[400]; /* why instructions are shown, where source was tried first; "" */
    char file[512];      /* source that is read or shown */
    char function[256];  /* its name */
};

void app_code_free(struct app *a);

#endif
