#include "engine/replay/replay_protocol.h"

#include <string.h>

static const char *const stages[REPLAY_STAGES] = {
    [REPLAY_STAGE_CHECK] = "check",
    [REPLAY_STAGE_HOLD] = "hold",
    [REPLAY_STAGE_INITIALISE] = "initialise",
    [REPLAY_STAGE_RESERVE] = "reserve",
    [REPLAY_STAGE_RESTORE] = "restore",
    [REPLAY_STAGE_LOAD] = "load",
    [REPLAY_STAGE_RUN] = "run",
    [REPLAY_STAGE_VERIFY] = "verify",
};

/* Exit statuses: docs/CAPTURE.md, "Exit status of rooftop replay". */
static const struct {
    const char *name;
    int status;
} kinds[REPLAY_KINDS] = {
    [REPLAY_OK] = {"", 0},
    [REPLAY_USAGE] = {"usage", 2},
    [REPLAY_CAPTURE] = {"capture", 3},
    [REPLAY_RUNTIME] = {"runtime", 6},
    [REPLAY_ISA] = {"isa", 6},
    [REPLAY_RELOCATED] = {"relocated", 1},
    [REPLAY_MEMORY] = {"memory", 1},
    [REPLAY_LOAD] = {"load", 1},
    [REPLAY_FAULT] = {"fault", 10},
    [REPLAY_ILLEGAL] = {"illegal", 10},
    [REPLAY_QUEUE] = {"queue", 10},
    [REPLAY_TIMEOUT] = {"timeout", 11},
    [REPLAY_INTERNAL] = {"internal", 1},
};

const char *replay_stage_name(enum replay_stage stage)
{
    return stages[stage];
}

enum replay_stage replay_stage_find(const char *name)
{
    int i = 0;
    while (i < REPLAY_STAGES && (!name || strcmp(name, stages[i]) != 0))
        i++;
    return (enum replay_stage)i;
}

const char *replay_kind_name(enum replay_kind kind)
{
    return kinds[kind].name;
}

enum replay_kind replay_kind_find(const char *name)
{
    for (int k = REPLAY_OK + 1; name && k < REPLAY_KINDS; k++)
        if (strcmp(name, kinds[k].name) == 0)
            return (enum replay_kind)k;
    return REPLAY_INTERNAL;
}

int replay_kind_exit(enum replay_kind kind)
{
    return kinds[kind].status;
}
