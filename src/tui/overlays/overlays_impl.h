/* What the files of tui/overlays share among themselves. */
#pragma once

#include "engine/capture/capture.h"
#include "engine/capture/memory_type.h"
#include "tui/canvas/canvas.h"
#include "tui/input/keys.h"
#include "tui/model/view.h"
#include "tui/widgets/line_edit.h"
#include "tui/widgets/page.h"

/* The keys of an action as text: "s, F6, >". */
const char *help_keys(enum action a, char out[64]);

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
struct capture_look;
void replay_memory_draw(struct canvas *c, struct rect r, struct replay_memory_view *m,
                        const struct capture *cap, struct capture_look *l);
