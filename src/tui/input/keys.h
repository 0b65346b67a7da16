/*
 * Keys as data: one table gives the handling, the help screen, the footer and the manual.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A key press as views see it: a code point, or one of these values above the Unicode range. */
enum key_code {
    KEY_NONE = 0,
    KEY_ESCAPE = 27,
    KEY_ENTER_ = '\r',
    KEY_TAB = '\t',
    KEY_BACKSPACE_ = 127,
    KEY_SPECIAL = 0x110000,
    KEY_UP_,
    KEY_DOWN_,
    KEY_LEFT_,
    KEY_RIGHT_,
    KEY_PGUP,
    KEY_PGDN,
    KEY_HOME_,
    KEY_END_,
    KEY_INSERT,
    KEY_DELETE,
    KEY_BACKTAB,
    KEY_F1,
    KEY_F2,
    KEY_F3,
    KEY_F4,
    KEY_F5,
    KEY_F6,
    KEY_F7,
    KEY_F8,
    KEY_F9,
    KEY_F10,
    KEY_F11,
    KEY_F12,
    KEY_CTRL_LEFT,
    KEY_CTRL_RIGHT,
    KEY_CTRL_UP,
    KEY_CTRL_DOWN,
    KEY_SHIFT_LEFT,
    KEY_SHIFT_RIGHT,
    KEY_MOUSE_, /* see x, y, button */
    KEY_RESIZE_,
    KEY_ALT = 0x200000, /* added to a printable character: Alt-x */
};
enum mouse_button { MOUSE_LEFT = 1, MOUSE_MIDDLE, MOUSE_RIGHT, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };
struct key_event {
    uint32_t key; /* code point or enum key_code; Ctrl-A is 1 */
    int x, y;     /* cell, for KEY_MOUSE_ */
    int button;   /* enum mouse_button */
};

enum action {
    ACTION_NONE,
#define ACTION(id, name, keys, contexts, footer, help) ACTION_##id,
#include "tui/input/actions.def"
    ACTION_COUNT
};

enum tab { /* of the first row of the screen */
#define VIEW_TAB(id, keys, name, narrow, help) TAB_##id,
#include "tui/views/views.def"
           TABS
};

enum { /* the contexts of single views */
       CONTEXT_BITS_SHARED = 15,
#define VIEW_CONTEXT(id, place, beside, title) CONTEXT_BIT_##id,
#include "tui/views/views.def"
       CONTEXT_BITS
};
_Static_assert(CONTEXT_BITS < 31, "a set of contexts is an unsigned");
enum key_context { /* where a binding applies; a bit set */
                   CONTEXT_GLOBAL = 1 << 0,
                   CONTEXT_LIST = 1 << 1,       /* a table or list that has the cursor */
                   CONTEXT_PROCS = 1 << 2,      /* the process list */
                   CONTEXT_OVERLAY = 1 << 3,    /* help, explain, pickers */
                   CONTEXT_OUTPUT = 1 << 4,     /* a command's output pane */
                   CONTEXT_MOUSE = 1 << 5,      /* only for a click */
                   CONTEXT_NODES = 1 << 6,      /* rows of a tree or frames of a flame graph */
                   CONTEXT_TREE = 1 << 7,       /* the execution tree */
                   CONTEXT_PLOT = 1 << 8,       /* critical path and roofline */
                   CONTEXT_TIMELINE = 1 << 9,   /* lanes over time */
                   CONTEXT_KERNELS = 1 << 11,   /* the table of kernels */
                   CONTEXT_PROC_TREE = 1 << 13, /* the process list as a tree */
                   CONTEXT_GPU = 1 << 14,       /* the GPUs of the host */
                   CONTEXT_PART = 1 << 10,      /* rows that are parts of a profile */
                   CONTEXT_DETAILS = 1 << 12,   /* details of the selected row */
                   CONTEXT_WIDER = 1 << 15, /* something comes before the overview of the host */
#define VIEW_CONTEXT(id, place, beside, title)                                                     \
    CONTEXT_##id = 1 << CONTEXT_BIT_##id, CONTEXTS_##id = CONTEXT_##id | (beside),
#include "tui/views/views.def"
                   CONTEXT_END = 1 << CONTEXT_BITS
};

struct action_info {
    enum action action;
    const char *name; /* "sort-next": palette, config and manual name */
    const char *keys; /* "s F6": space-separated key names, as key_label prints them */
    unsigned contexts;
    const char *footer; /* short label for the footer, NULL = not shown there */
    const char *help;   /* one line */
};
extern const struct action_info action_table[ACTION_COUNT];
enum action action_named(const char *name); /* ACTION_NONE: there is none of that name */

/*
 * The keys in force: those of the table, unless the user's configuration binds others. There is one
 * keymap for the whole program; it only changes between events.
 */
enum { KEYMAP_KEYS_MAX = 64 };
/* The keys of an action as in the table: names separated by spaces; "" = none. */
const char *keymap_keys(enum action a);
/*
 * Binds the action with this name to these keys in place of its own. Returns 0, or -errno with err
 * saying what is wrong with them.
 */
int keymap_bind(const char *name, const char *keys, struct error *err);
/*
 * A digit of a tab gives way to a view to which the configuration gives the same key.
 * Call it after all bindings. Fails if one key would start two actions in the same view or overlay,
 * and the table itself does not give it to both. which: set to the later of the two actions; may be
 * NULL.
 */
int keymap_check(struct error *err, enum action *which);
void keymap_reset(void);
/* Binds while rooftop runs: 0, or -errno with err and the keymap as it was. */
int keymap_choose(const char *name, const char *keys, struct error *err);
/* Whether keymap_choose() gave the action its keys since the last keymap_reset(). */
bool keymap_chosen(enum action a);
/* A copy of the whole keymap, to restore it when a reload of the configuration fails. */
struct keymap {
    char keys[ACTION_COUNT][KEYMAP_KEYS_MAX];
    bool bound[ACTION_COUNT], chosen[ACTION_COUNT];
};
void keymap_save(struct keymap *out);
void keymap_restore(const struct keymap *from);

enum action key_action(const struct key_event *ev,
                       unsigned contexts); /* the most specific context wins */
/* Writes a key's name: "q", "F1", "PgUp", "^L", "Space", "Alt-x". Returns out. */
const char *key_label(uint32_t key, char out[16]);
/* The inverse of key_label; KEY_NONE for an unknown name. */
uint32_t key_parse(const char *name);
