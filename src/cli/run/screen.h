/*
 * What the dashboard and its headless form share: target, tables, theme and app, set up as the
 * options say.
 */
#ifndef ROOFTOP_CLI_RUN_SCREEN_H
#define ROOFTOP_CLI_RUN_SCREEN_H

#include "cli/options/options.h"
#include "engine/live/engine.h"
#include "engine/live/user_tables.h"
#include "tui/app/app.h"
#include "tui/canvas/theme.h"

/* Bytes for traced calls between two samples: 209,715 of them. */
enum { SCREEN_CALLS_BYTES = 8 << 20 };

struct screen {
    struct target target;
    struct user_tables *tables; /* NULL: the user has none */
    struct theme *theme;
    struct app *app;
    struct att_set *att;      /* NULL: no thread traces are open */
    struct analysis *profile; /* NULL: no profile was given, or it is still being opened */
    struct opening *opening;  /* NULL: nothing is being opened */
    char **captures;          /* folders of --captures */
    size_t ncaptures;
    struct call_feed *calls; /* system calls that are traced, on their way to the tree */
    struct canvas canvas;
    bool ascii;
    unsigned asked; /* enum app_request that --run left to the loop that drives the app */
};

/* Checks and loads everything the options name. Does not use the terminal or open counters. */
int screen_open(struct screen *s, const struct options *o, struct error *err);
/* Begins to open the session that the operand names; it is played once it is open. 0 or -errno. */
int screen_play(struct screen *s, const struct options *o, struct error *err);
/* Call it when opening_fd is readable: shows the progress, the opened files, or the error. If a
 * session cannot be opened, returns -errno, because there is nothing else to show. When opening is
 * over, runs the commands of --run and leaves requests in s->asked. */
int screen_opening(struct screen *s, const struct options *o, struct error *err);
/* Whether the operand is a session to play. A folder has thread traces; other files are
 * profiles. */
bool screen_plays(const struct options *o);
/* Whether the replay menu is shown; then documents contain its list. */
bool screen_replays(const struct screen *s);
/* The picture of system calls, if their view is shown: then documents contain it; else NULL. */
const struct syscalls_picture *screen_syscalls(const struct screen *s);
void screen_close(struct screen *s);
struct engine_config screen_engine(const struct screen *s, const struct options *o);
/* The picture of the app as text. The caller frees *text with free(). */
int screen_text(const struct canvas *c, char **text, size_t *len);

#endif
