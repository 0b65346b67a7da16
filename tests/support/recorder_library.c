#include "support/recorder_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/syscalls/tracer.h"
#include "support/skip.h"

extern const struct tracer_ops tracer_inject;

void recorder_library_use(void)
{
    const char *build = getenv("BUILD");
    char path[4096], full[4096 + 32];
    if (!realpath(build ? build : "build/release", path))
        return;
    snprintf(full, sizeof full, "%s/librooftop-recorder.so", path);
    if (access(full, R_OK) == 0)
        setenv("ROOFTOP_RECORDER_LIBRARY", full, 1);
}

void recorder_library_needed(void)
{
    struct tracer_state state;
    recorder_library_use();
    tracer_inject.probe(&state);
    if (!state.works)
        skip_because("the recorder: %s", state.why);
}
