/*
 * What the dashboard and its headless form share: the target, the tables, the theme and the app
 * that the options describe.
 */
#ifndef ROOFTOP_CLI_RUN_SCREEN_H
#define ROOFTOP_CLI_RUN_SCREEN_H

#include "cli/options/options.h"
#include "engine/live/engine.h"
#include "engine/live/user_tables.h"
#include "tui/app/app.h"
#include "tui/canvas/theme.h"

struct screen {
    struct target target;
    struct user_tables *tables; /* NULL: none */
    struct theme *theme;
    struct app *app;
    struct att_set *att;      /* NULL: no folder of thread traces was named */
    struct analysis *profile; /* NULL: no profile was named, or it is still being opened */
    struct opening *opening;  /* NULL: none is */
    char **captures;          /* of --captures */
    size_t ncaptures;
    struct canvas canvas;
    bool ascii;
    unsigned asked; /* enum app_request that --run left to the loop that drives the app */
};

/* Checks and loads everything the options name; touches neither the terminal nor the kernel's
 * counters. */
int screen_open(struct screen *s, const struct options *o, struct error *err);
/* Begins to open the session of the operand, which is played when it is there. 0 or -errno. */
int screen_play(struct screen *s, const struct options *o, struct error *err);
/* Of what is being opened, when opening_fd is readable: how far it is, or all of it, or that it
 * failed, which is shown; of a session, without which there is nothing to show, -errno is returned.
 * And what --run asked for once it is there, in asked. */
int screen_opening(struct screen *s, const struct options *o, struct error *err);
/* Whether the operand is a session to play: a folder is one of thread traces, other files are
 * profiles. */
bool screen_plays(const struct options *o);
/* Whether the view shown is the replay menu: documents hold its list then. */
bool screen_replays(const struct screen *s);
void screen_close(struct screen *s);
struct engine_config screen_engine(const struct screen *s, const struct options *o);
/* The picture of the app's state in text form, malloc'ed. */
int screen_text(const struct canvas *c, char **text, size_t *len);

#endif
