/*
 * Something over the view: help, an explanation, a menu, a picker. One file an overlay under
 * overlays/, one line in overlays/overlays.c. Only one is open at a time; Esc closes it.
 */
#ifndef ROOFTOP_TUI_OVERLAYS_OVERLAY_H
#define ROOFTOP_TUI_OVERLAYS_OVERLAY_H

#include "tui/model/view.h"

struct app;

struct overlay_ops {
    const char *name;
    enum action toggle; /* the action that opens and closes it; ACTION_NONE: opened by code */
    bool click_runs;    /* a click on a row is Enter at once; else a second one is */
    /* Before it is shown; a->overlay_state is zeroed, a->overlay_key is what it is about. May be
     * NULL. */
    void (*opened)(struct app *a);
    void (*closed)(struct app *a); /* by whatever way; may be NULL */
    void (*draw)(struct app *a, struct canvas *c, struct rect area);
    /* An action while it is open; a set of enum app_request, 0 = not for it (then it is closed, and
     * nothing else happens). */
    unsigned (*act)(struct app *a, enum action act);
    /* Gets every key first, for those that are typed into; 0 = not for it. May be NULL. */
    unsigned (*key)(struct app *a, const struct key_event *ev);
};
extern const struct overlay_ops *const overlays[]; /* NULL-terminated */
extern const struct overlay_ops overlay_explain, overlay_code, overlay_menu, overlay_palette,
    overlay_boxes;

void overlay_open(struct app *a, const struct overlay_ops *ops, const char *key);
void overlay_close(struct app *a);
/* For overlays that are a page of text: scrolls; 0 for what is no scrolling. */
unsigned overlay_scroll_page(struct app *a, enum action act);

#endif
