/*
 * The replay menu's machinery: the list of captures read on a thread, the child process that
 * replays, what is looked into. The screen never waits for any of them.
 */
#ifndef ROOFTOP_TUI_APP_APP_REPLAY_H
#define ROOFTOP_TUI_APP_APP_REPLAY_H

#include "engine/capture/capture_look.h"
#include "engine/replay/replay_child.h"
#include "engine/replay/replay_lister.h"
#include "tui/input/keys.h"
#include "tui/model/replays.h"
#include "tui/widgets/form.h"

struct app;

struct app_replay {
    struct replays shown; /* model.replays */
    struct replay_list *list;
    struct replay_lister *lister;
    struct replay_child *child; /* NULL: nothing was started */
    bool kept;                  /* its result was handed on */
    struct replay_key key;      /* of what was asked */
    char hsaco[LINE_EDIT_MAX];
    struct replay_host host; /* once it was asked */
    bool host_asked;
    struct capture_look *look; /* NULL: none is open */
    struct form form;          /* of options, while it is open; and what they were last: */
    struct replay_request options;
    char tolerance[LINE_EDIT_MAX], variants[LINE_EDIT_MAX];
    char **folders; /* --captures, borrowed */
    size_t nfolders;
    replay_host_fn *ask; /* NULL: nobody knows */
    int epoll;           /* of all descriptors here; 0: none yet */
};

void app_replay_free(struct app *a);
/* Readable when app_replay_poll has something to do, or what was watched beside. */
int app_replay_fd(struct app *a);
void app_replay_watch(struct app *a, int fd);
/* What came meanwhile; a set of enum app_request. */
unsigned app_replay_poll(struct app *a);
/* Before drawing: the list is asked for when the view is first shown. */
void app_replay_refresh(struct app *a);
/* The keys of the view; 0 for other actions. */
unsigned app_replay_action(struct app *a, enum action act);

/* For the overlays: the row under the view's cursor, NULL none. */
const struct replay_row *app_replay_row(const struct app *a, const char *key);
/* Why nothing can be started for this row, a clause; NULL: it can. */
const char *app_replay_refused(const struct app *a, const struct replay_row *row);
/* false: it could not be started, and that was said. */
bool app_replay_run(struct app *a, const struct replay_row *row, const struct replay_request *q);
/* Opens it to be looked into, unless it is open; NULL where the row is gone. */
struct capture_look *app_replay_look(struct app *a, const char *key);

#endif
