/*
 * Something that opens over the view: help, an explanation, a menu, a picker. Each overlay is a
 * file under overlays/; one that an action opens has a line in overlays/overlays.c. Only one is
 * open at a time; Esc closes it.
 */
#pragma once

#include "tui/model/view.h"

struct app;

struct overlay_ops {
    const char *name;
    enum action toggle; /* the action that opens and closes it; ACTION_NONE: code opens it */
    bool click_runs;    /* one click on a row acts like Enter; else a second click does */
    size_t own_size;    /* size of a->overlay_own; 0: the overlay needs none */
    /*
     * Called before it is shown, with a->overlay_state and a->overlay_own zeroed and
     * a->overlay_key naming its subject. May be NULL.
     */
    void (*opened)(struct app *a);
    /*
     * Called when it is closed, for any reason: frees what a->overlay_own refers to, but not
     * a->overlay_own itself. May be NULL.
     */
    void (*closed)(struct app *a);
    /* Called when the code has come that a->code.job was asked for. May be NULL. */
    void (*code_came)(struct app *a);
    void (*draw)(struct app *a, struct canvas *c, struct rect area);
    /*
     * Handles an action while the overlay is open. Returns a set of enum app_request. 0 means that
     * the action is not for it: the overlay is closed and nothing else happens.
     */
    unsigned (*act)(struct app *a, enum action act);
    /*
     * Gets every key first, for overlays with typed text. Returns 0 if the key is not for it. May
     * be NULL.
     */
    unsigned (*key)(struct app *a, const struct key_event *ev);
};
extern const struct overlay_ops *const overlays[]; /* with a toggle; NULL-terminated */
extern const struct overlay_ops overlay_explain, overlay_menu, overlay_palette, overlay_boxes;

/* "In the execution tree": the part of rooftop that an action belongs to; NULL: all of it. */
const char *help_place(enum action act);

void overlay_open(struct app *a, const struct overlay_ops *ops, const char *key);
void overlay_close(struct app *a);
/* Scrolling for overlays that are a page of text; returns 0 for other actions. */
unsigned overlay_scroll_page(struct app *a, enum action act);
