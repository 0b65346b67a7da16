/*
 * The list of captures of the replay menu and `--view replay`: the captures in the folders, whether
 * this host can replay them, and their stored results. A thread makes it, because it reads folders
 * and asks the GPU's runtime.
 */
#pragma once

#include "engine/capture/capture.h"
#include "engine/replay/replay_store.h"
#include "engine/replay/replay_host.h"
#include "engine/value/list_order.h"
#include "engine/value/value.h"

enum { REPLAY_FOLDERS_MAX = 96, REPLAY_PASTS_SHOWN = 100 };

struct replay_row {
    const struct capture *capture; /* its documents; NULL: it cannot be opened, see why */
    const char *path;
    /* readable name of the kernel, or of the folder if the capture cannot be opened */
    const char *name;
    struct replay_key key;
    enum replay_can can;
    char why[REPLAY_WHY_MAX]; /* why it cannot be replayed here, or not be opened; "" = it can */
    struct replay_pasts past; /* newest first */
};

struct replay_list {
    struct capture_list captures;
    struct replay_row *rows; /* by time, newest first */
    size_t n;
    size_t first; /* the row where a cursor begins */
    struct replay_host host;
    char note[256];    /* a remark about the history; "" */
    char folders[512]; /* the folders that were searched, to be shown if nothing was found */
};

struct replay_list_request {
    char **folders; /* from --captures; rooftop_captures and remembered folders follow them */
    size_t nfolders;
    const char *opened;    /* what the user opened: the first row is one of it; NULL: nothing */
    const char *state_dir; /* directory of the history; "" = no history */
    bool readonly;
    replay_host_fn *ask;            /* asks the host; NULL: use `host` */
    const struct replay_host *host; /* the answer of an earlier question; NULL: ask */
};
int replay_list_read(struct replay_list *out, const struct replay_list_request *r,
                     struct error *err);
void replay_list_free(struct replay_list *l);

/* The fields of a row (struct replay_row): engine/replay/replay_fields.def. */
extern const struct list_field replay_fields[];
enum replay_field {
#define LIST_FILE   "engine/replay/replay_fields.def"
#define LIST_ID(id) REPLAY_FIELD_##id
#include "engine/value/list_field_ids.h"
};
/* The rows of a struct replay_list; equal ones stay in the order of their dates. */
extern const struct list_rows replay_rows;

/* "(4, 2), 64": the blocks of the grid, and the work-items of a block. Returns out. */
const char *replay_shape_text(const struct capture *c, char out[LAUNCH_TEXT]);
/* "2026-11-22 01:02" of "2026-11-22T01:02:03Z", in UTC; "" if the time is unknown. */
const char *replay_date_text(const struct capture *c, char *out, size_t size);
