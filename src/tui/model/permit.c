#include "tui/model/permit.h"

static const char readonly[] = "started with --readonly";
static const char playback[] = "this is a recording: nothing of it runs any more";

static const struct {
    enum action action;
    bool writes; /* changes files or what is measured: refused with --readonly */
    bool live;   /* needs running processes: refused in playback */
} rules[] = {
    {ACTION_ATTACH, true, true},          {ACTION_DETACH, true, true},
    {ACTION_SIGNAL, true, true},          {ACTION_NICE_LOWER, true, true},
    {ACTION_NICE_HIGHER, true, true},     {ACTION_CAPTURE, true, true},
    {ACTION_WRITE, true, false},          {ACTION_SAVE_OUTPUT, true, true},
    {ACTION_SAMPLING, false, true},       {ACTION_REPLAY_RUN, true, false},
    {ACTION_REPLAY_VERIFY, true, false},  {ACTION_REPLAY_COMPARE, true, false},
    {ACTION_REPLAY_RESERVE, true, false}, {ACTION_REPLAY_DELETE, true, false},
    {ACTION_LAB_RUN, true, false},
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
