/* The dashboard: connects the terminal, the app and the engine. */
#pragma once

#include "cli/options/options.h"
#include "tui/app/app.h"

/* The screen, and snapshots as text, JSON or CSV. Each returns the exit status. */
int dashboard_run(struct options *o);
int headless_run(struct options *o);

/* What looks on while a command is recorded. */
struct snapshot;
struct record_watch {
    void (*see)(void *ctx, const struct snapshot *s); /* each sample, also the last */
    void (*told)(void *ctx, int signo);               /* a signal was passed on to the command */
    /* No more can be written to the session: the command goes on without it. */
    void (*lost)(void *ctx, const struct error *why);
    void *ctx;
};
/* Records o->argv to the session o->output, as rooftop record does, and says nothing of it. Every
 * signal is passed on; the status is the command's. */
int headless_record(struct options *o, const struct record_watch *watch);

/* Like dashboard_run, but fill gives the app what it shows. */
typedef void dashboard_fill(struct app *a, const void *what);
int dashboard_show(struct options *o, dashboard_fill *fill, const void *what);
