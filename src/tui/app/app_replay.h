/*
 * What the replay menu runs: a thread that reads the list of captures, a child process that
 * replays, and the capture that is looked into. The screen never waits for any of them.
 */
#pragma once

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
    bool kept;                  /* its result was stored */
    struct replay_key key;      /* which capture and options it has */
    char hsaco[LINE_EDIT_MAX];
    struct replay_host host; /* this host, once it was asked */
    bool host_asked;
    struct capture_look *look; /* NULL: none is open */
    int memory_look;           /* index into replay_memory_looks: how memory was shown last */
    struct form form;          /* the open form of options, and its last values: */
    struct replay_request options;
    char tolerance[LINE_EDIT_MAX], variants[LINE_EDIT_MAX];
    char **folders; /* of --captures, borrowed */
    size_t nfolders;
    replay_host_fn *ask; /* finds out what this host can replay; NULL: nobody knows */
    int epoll;           /* of all descriptors of this part; 0: none yet */
};

void app_replay_free(struct app *a);
/* A descriptor that is readable when app_replay_poll has something to do. */
int app_replay_fd(struct app *a);
void app_replay_watch(struct app *a, int fd);
/* Handles what happened since the last call. Returns a set of enum app_request. */
unsigned app_replay_poll(struct app *a);
/* Call before drawing: starts reading the list when the view is first shown. */
void app_replay_refresh(struct app *a);
/* Handles the keys of the view; returns 0 for other actions. */
unsigned app_replay_action(struct app *a, enum action act);

/* For the overlays: the row with this key, NULL if it is gone. */
const struct replay_row *app_replay_row(const struct app *a, const char *key);
/* Why nothing can be started for this row, as a clause; NULL if it can. */
const char *app_replay_refused(const struct app *a, const struct replay_row *row);
/* Starts a replay. Returns false if it could not be started; the reason is then the message. */
bool app_replay_run(struct app *a, const struct replay_row *row, const struct replay_request *q);
/* Opens the capture with this key to look into it, unless it is open. NULL if the row is gone. */
struct capture_look *app_replay_look(struct app *a, const char *key);
