#include "engine/replay/replay_protocol.h"

#include <string.h>

#include "base/exit_code.h"

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

/* Exit statuses: docs/CAPTURE.md, "Exit status of rooftop gpu replay". */
static const struct {
    const char *name;
    enum exit_code status;
} kinds[REPLAY_KINDS] = {
    [REPLAY_OK] = {"", EXIT_DONE},
    [REPLAY_USAGE] = {"usage", EXIT_USAGE},
    [REPLAY_CAPTURE] = {"capture", EXIT_INPUT},
    [REPLAY_RUNTIME] = {"runtime", EXIT_UNSUPPORTED},
    [REPLAY_ISA] = {"isa", EXIT_UNSUPPORTED},
    [REPLAY_RELOCATED] = {"relocated", EXIT_FAILED},
    [REPLAY_MEMORY] = {"memory", EXIT_FAILED},
    [REPLAY_LOAD] = {"load", EXIT_FAILED},
    [REPLAY_FAULT] = {"fault", EXIT_GPU},
    [REPLAY_ILLEGAL] = {"illegal", EXIT_GPU},
    [REPLAY_QUEUE] = {"queue", EXIT_GPU},
    [REPLAY_TIMEOUT] = {"timeout", EXIT_TIMEOUT},
    [REPLAY_INTERNAL] = {"internal", EXIT_FAILED},
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
