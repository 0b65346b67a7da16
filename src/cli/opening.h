/*
 * Opening profiles and sessions on a thread of its own, so that the screen is there at once and can
 * be left at any time. What was opened is handed over whole, when it is ready.
 */
#ifndef ROOFTOP_CLI_OPENING_H
#define ROOFTOP_CLI_OPENING_H

#include "engine/analysis.h"
#include "engine/recording.h"
#include "tui/app_opening.h"

struct opening;
struct opened { /* one of them, the caller's; NULL both: it failed */
    struct analysis *profile;
    struct recording *session;
};

/* Begins; copies the paths: a session, or profiles. roofs: as in struct analysis. NULL with err: no
 * thread could be started. */
struct opening *opening_start(const char *const *paths, size_t n, const char *roofs,
                              struct error *err);
/* Gives up what is not ready; the thread frees what it has. NULL allowed. */
void opening_free(struct opening *o);
int opening_fd(const struct opening *o); /* readable when there is news, a few times a second */
bool opening_wait(struct opening *o, int ms); /* whether it is over by then */
void opening_give_up(struct opening *o);
/* True when it is over: *out is the caller's to close and free, or empty with err and *rc < 0.
 * Takes the news. False: out and err are left alone. */
bool opening_take(struct opening *o, struct opened *out, int *rc, struct error *err);
/* How far it is. */
void opening_look(struct opening *o, struct app_opening *out);

#endif
