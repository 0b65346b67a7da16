/* The menu of a capture. */
#include <stdio.h>

#include "tui/views/replay/replay.h"

bool replay_menu(const struct model *m, const struct view_state *st, const char *key,
                 struct menu *out)
{
    const struct replays *all = &((const struct replay_view *)st->own)->all;
    const struct replay_row *r = replays_find(all, key);
    const struct replay_run *run = all->run;
    bool running = run && !replay_run_over(run);
    (void)m;
    if (!r)
        return false;
    const char *closed = r->capture ? NULL : r->why;
    const char *busy = running ? "a replay is running" : NULL;
    const char *cannot = closed ? closed : busy;
    snprintf(out->title, sizeof out->title, "%s", r->name);
    menu_action(out, 'r', ACTION_REPLAY_RUN, "replay …%s",
                r->can == REPLAY_CANNOT && r->capture ? " (this host cannot)" : "");
    menu_deny(out, cannot);
    menu_action(out, 'v', ACTION_REPLAY_VERIFY, "verify: memory after against what was captured");
    menu_deny(out, cannot);
    menu_deny(out, r->capture && !r->capture->has_after ? "captured without --post" : NULL);
    menu_action(out, 'c', ACTION_REPLAY_COMPARE, "compare with other builds of the kernel …");
    menu_deny(out, cannot);
    menu_action(out, 's', ACTION_REPLAY_RESERVE, "check whether its addresses are free");
    menu_deny(out, cannot);
    menu_action(out, 'm', ACTION_REPLAY_MEMORY, "memory");
    menu_deny(out, closed);
    menu_action(out, 'a', ACTION_REPLAY_ARGUMENTS, "arguments");
    menu_deny(out, closed);
    menu_action(out, 'i', ACTION_REPLAY_CODE, "instructions");
    menu_deny(out, closed);
    menu_action(out, 'x', ACTION_REPLAY_CANCEL, "cancel the replay that runs");
    menu_deny(out, running ? NULL : "none is running");
    menu_copy(out, 'y', r->path, "copy its path");
    menu_action(out, 'D', ACTION_REPLAY_DELETE, "delete …");
    return true;
}
