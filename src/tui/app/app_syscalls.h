/*
 * System calls: which picture the view shows, and when the loop that drives the app shall trace. A
 * trace slows the program down, so it begins by the view's own key only, and ends with the view.
 */
#pragma once

#include "engine/syscalls/snapshot/syscalls_snapshot.h"

struct app;

struct app_syscalls {
    const struct syscalls_snapshot *newest; /* owned; model.syscalls is it or an older one */
    bool wanted;
};

void app_syscalls_free(struct app *a);
/* The key of the view was pressed; again: the view was shown already. Returns a set of enum
 * app_request. */
unsigned app_syscalls_opened(struct app *a, bool again);
/* Call before drawing: shows the newest picture, unless time is paused. */
void app_syscalls_refresh(struct app *a);
