/*
 * The replay menu: captures, the replay that runs, and the capture that is looked into. What
 * opens over it is about the capture that overlay_key names (replay_overlays.h).
 */
#pragma once

#include "engine/capture/capture_look.h"
#include "engine/replay/replay_child.h"
#include "engine/replay/replay_list.h"
#include "engine/replay/replay_lister.h"
#include "engine/replay/replay_run.h"
#include "tui/model/view.h"
#include "tui/widgets/form.h"
#include "tui/widgets/rows.h"

/* What is drawn. */
struct replays {
    const struct replay_list *list; /* NULL: not read yet */
    bool reading;                   /* it is being read */
    char failed[512];               /* why it could not be read; "" = no error */
    const struct replay_run *run;   /* the replay that runs or ran last; NULL: none */
    char run_path[1024];            /* its capture */
    uint64_t now_ns;                /* time of the picture */
};

enum { REPLAYS_KEY_MAX = 24 };
/* Writes the identity of a row, for cursors. */
void replays_key(const char *path, char out[REPLAYS_KEY_MAX]);
/* The row with this key; NULL if it is gone. */
const struct replay_row *replays_find(const struct replays *r, const char *key);

struct replay_view {   /* view_state.own */
    unsigned captured; /* of the model when the list was read */
    struct replays all;
    struct rows rows;
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
};
extern const struct view_ops view_replay;

/* --- replay_jobs.c; st is the state of view_replay --- */

void replay_begin(void *own);
bool replay_follow(const struct model *m, struct view_state *st, bool shown);
bool replay_poll(struct view_state *st);
void replay_end(void *own);
/* Handles the keys that start something; returns false for others. */
bool replay_act(enum action act, struct view_state *st);

/* Why nothing can be started for this row, as a clause; NULL if it can. */
const char *replay_refused(const struct replay_view *r, const struct replay_row *row);
/* Starts a replay. Returns false if it could not be started; the reason is then the message. */
bool replay_start(struct view_state *st, const struct replay_row *row,
                  const struct replay_request *q);
/* Opens the capture with this key to look into it, unless it is open. NULL if the row is gone. */
struct capture_look *replay_look(struct view_state *st, const char *key);

extern const struct overlay_ops overlay_replay_form, overlay_replay_compare, overlay_replay_memory,
    overlay_replay_arguments, overlay_replay_code;

/* --- drawing --- */

/*
 * Draws a running or finished replay: stages, iterations, times, result. Returns the number of
 * rows.
 */
int replay_run_draw(struct canvas *c, struct rect r, const struct replays *all,
                    const struct replay_row *row);
/*
 * Draws everything known about the selected capture, its run, and the kept results. They are
 * compared with the result whose time is st->at (0: the second newest).
 */
void replay_detail_draw(struct canvas *c, struct rect r, const struct replays *all,
                        const struct replay_row *row, struct view_state *st);
/* The index of the result that others are compared with; -1 = none. */
int replay_base(const struct replay_row *row, const struct view_state *st);

/* Writes microseconds as text: "12.3 us"; "-" if there is no time. Returns out. */
const char *replay_time_text(const struct replay_timing *t, double us, bool ascii, char out[24]);

bool replay_menu(const struct model *m, const struct view_state *st, const char *key,
                 struct menu *out);
