/* The overlays of the replay menu; each is about the capture that overlay_key names. */
#pragma once

#include "engine/capture/memory_type.h"
#include "tui/app/app_state.h"
#include "tui/views/replay/replay.h"

static inline struct replay_view *replay_state_of(struct app *a)
{
    return app_view_state(a, &view_replay)->own;
}
static inline const struct replay_row *replay_row_of(struct app *a)
{
    return replays_find(&replay_state_of(a)->all, a->overlay_key);
}
static inline struct capture_look *replay_look_of(struct app *a)
{
    return replay_look(app_view_state(a, &view_replay), a->overlay_key);
}
/* Opens the memory of the capture at this address, to follow a pointer. */
void replay_memory_go(struct app *a, uint64_t address);

/* What the key handling and the drawing of the memory browser share. */

/* The ways to show a row; 0 is hex with characters. */
enum { REPLAY_MEMORY_LOOKS = 8 };
extern const struct replay_memory_look {
    const char *name;
    enum memory_type type;
    enum memory_look look;
} replay_memory_looks[REPLAY_MEMORY_LOOKS];

enum asking { ASK_NOTHING, ASK_ADDRESS, ASK_VALUE };

struct replay_memory_view {
    size_t region;
    uint64_t at;  /* offset of the element under the cursor */
    uint64_t top; /* offset of the first visible row */
    int look;
    bool after;
    enum asking asking;
    struct line_edit line;
    char said[200];
    uint8_t pattern[8]; /* the bytes searched for last; size 0: none */
    size_t pattern_size;
    uint64_t go;  /* address to go to once the capture is open; 0 = none */
    int rows;     /* number of rows that fit */
    unsigned row; /* bytes per row: as many as fit, a power of 2 */
};

size_t replay_memory_element(const struct replay_memory_view *m); /* bytes of an element */
uint64_t replay_memory_row_bytes(const struct replay_memory_view *m);
/* Draws everything but the frame. Sets how many rows fit and how long they are. */
void replay_memory_draw(struct canvas *c, struct rect r, struct replay_memory_view *m,
                        const struct capture *cap, struct capture_look *l);
