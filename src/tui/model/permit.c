#include "tui/model/permit.h"

static const char readonly[] = "started with --readonly";
static const char playback[] = "this is a recording: nothing of it runs any more";

static const struct {
    enum action action;
    bool writes, live;
} rules[] = {
#define PERMIT(id, writes, live) {ACTION_##id, writes, live},
#include "tui/input/actions.def"
};

const char *permit_refused(const struct model *m, enum action act)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].action != act)
            continue;
        if (rules[i].writes && m->readonly)
            return readonly;
        if (rules[i].live && m->playback)
            return playback;
    }
    return NULL;
}
