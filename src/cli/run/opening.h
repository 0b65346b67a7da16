/*
 * Opening profiles, sessions and thread traces on a thread of its own, so that the screen is there
 * at once and can be left at any time. What was opened is handed over whole, when it is ready.
 */
#ifndef ROOFTOP_CLI_RUN_OPENING_H
#define ROOFTOP_CLI_RUN_OPENING_H

#include "engine/analysis/analysis.h"
#include "engine/att/att_digest.h"
#include "engine/session/recording.h"
#include "tui/app/app_opening.h"

struct opening;
struct opened { /* the caller's; NULL all: it failed */
    struct analysis *profile;
    struct recording *session;
    struct att_set *traces; /* alone, or beside the profile */
};

/* Whether it is a folder of thread traces: one that a reader of profiles takes is a profile. */
bool opening_is_traces(const char *path);
/* Those of a folder; beside a profile: of a run of rooftop profile, to which they only add. *out is
 * NULL where there are none, or with err. Free them with opening_traces_free. */
int opening_traces(struct att_set **out, const char *folder, struct error *err);
struct att_set *opening_traces_beside(const char *profile);
void opening_traces_free(struct att_set *traces); /* NULL allowed */

/* Begins; copies the paths: a session, a folder of
 * thread traces, or profiles. roofs: as in struct analysis. NULL with err: no
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
