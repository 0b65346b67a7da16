/* Keeps programs that tests start away from the configuration and the state of the user who runs
 * the tests. */
#pragma once

#include <stdlib.h>

/* Call it in the child process. Tests of the configuration or the state set their own variables
 * before. */
static inline void own_home(void)
{
    setenv("ROOFTOP_CONFIG", "/dev/null", 0);
    setenv("XDG_STATE_HOME", "/proc/none", 0); /* a folder that cannot be created */
}
