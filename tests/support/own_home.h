/* What whoever runs the tests keeps at home is neither read nor written by what the tests start. */
#ifndef TESTS_SUPPORT_OWN_HOME_H
#define TESTS_SUPPORT_OWN_HOME_H

#include <stdlib.h>

/* In the child. A test that is about the configuration or the state names its own. */
static inline void own_home(void)
{
    setenv("ROOFTOP_CONFIG", "/dev/null", 0);
    setenv("XDG_STATE_HOME", "/proc/none", 0); /* nobody can make it */
}

#endif
