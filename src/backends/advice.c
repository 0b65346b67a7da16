#include "backends/advice.h"

#include <stdio.h>

/* What every user may do at a level. Documentation/admin-guide/perf-security.rst */
static const char *allows(int level)
{
    if (level >= 2)
        return "count the user mode of their own programs";
    if (level == 1)
        return "count the kernel's part of their own programs too";
    if (level == 0)
        return "watch whole CPUs, and so what other users run";
    return "watch all that the kernel traces, of all users";
}

const char *advice_paranoid(int now, int need, char out[ADVICE_BYTES])
{
    int n = snprintf(out, ADVICE_BYTES, "run rooftop with sudo");
    if (now < 3)
        n += snprintf(out + n, ADVICE_BYTES - (size_t)n,
                      "; or for those who may execute it: `sudo setcap cap_perfmon+ep $(command -v "
                      "rooftop)` (setcap -r undoes it)");
    snprintf(out + n, ADVICE_BYTES - (size_t)n,
             "; or until the next boot `sudo sysctl kernel.perf_event_paranoid=%d`: every user may "
             "then %s (=%d undoes it)",
             need, allows(need), now);
    return out;
}
