/*
 * Opens profiles, sessions and thread traces on a thread, so that the screen is there at once and
 * can be left at any time. The result is handed over when it is complete.
 */
#ifndef ROOFTOP_CLI_RUN_OPENING_H
#define ROOFTOP_CLI_RUN_OPENING_H

#include "engine/analysis/analysis.h"
#include "engine/att/att_digest.h"
#include "engine/session/recording.h"
#include "tui/app/app_opening.h"

struct opening;
struct opened { /* owned by the caller; all NULL: opening failed */
    struct analysis *profile;
    struct recording *session;
    struct att_set *traces; /* alone, or together with a profile */
};

/* Whether the path is a folder of thread traces. A folder that a reader of profiles recognises is
 * a profile. */
bool opening_is_traces(const char *path);
/* Opens the thread traces of a folder, and those that belong to the folder of `rooftop profile`.
 * *out is NULL if there are none, or on failure with err. Free them with opening_traces_free. */
int opening_traces(struct att_set **out, const char *folder, struct error *err);
struct att_set *opening_traces_beside(const char *profile);
void opening_traces_free(struct att_set *traces); /* may be NULL */

/* Starts opening a session, a folder of thread traces, or profiles. Copies the paths. roofs: as in
 * struct analysis. NULL with err: no thread could be started. */
struct opening *opening_start(const char *const *paths, size_t n, const char *roofs,
                              struct error *err);
/* Gives up what is not complete; the thread frees it. o may be NULL. */
void opening_free(struct opening *o);
int opening_fd(const struct opening *o); /* readable when there is progress, a few times a second */
/* waits at most ms; returns whether opening is over */
bool opening_wait(struct opening *o, int ms);
void opening_give_up(struct opening *o);
/* If opening is over, returns true: the caller owns what is in *out, or it is empty, with err and
 * *rc < 0. Otherwise returns false and leaves out and err alone. Makes opening_fd unreadable. */
bool opening_take(struct opening *o, struct opened *out, int *rc, struct error *err);
/* The progress so far. */
void opening_look(struct opening *o, struct app_opening *out);

#endif
