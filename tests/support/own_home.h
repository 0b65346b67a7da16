/* Programs that the tests start neither read nor write the configuration and the state of the user
 * who runs the tests. */
#ifndef TESTS_SUPPORT_OWN_HOME_H
#define TESTS_SUPPORT_OWN_HOME_H

#include <stdlib.h>

/* Call it in the child process. A test of the configuration or the state sets its own before. */
static inline void own_home(void)
{
    setenv("ROOFTOP_CONFIG", "/dev/null", 0);
    setenv("XDG_STATE_HOME", "/proc/none", 0); /* a folder that cannot be made */
}

#endif
