/*
 * Captures and replays for the views. The app owns them; it reads the list on a thread and runs the
 * child process (app_replay.h).
 */
#pragma once

#include "engine/replay/replay_list.h"
#include "engine/replay/replay_run.h"

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
