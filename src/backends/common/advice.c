#include "backends/common/advice.h"

#include <stdio.h>

#include "base/env.h"

/*
 * The rights of every user at a paranoid level. Source: Documentation/admin-guide/perf-security.rst
 */
static const char *paranoid_level_allows(int level)
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
             need, paranoid_level_allows(need), now);
    return out;
}

static long locked_kb(void)
{
    char path[512];
    long kb = 0;
    FILE *f = fopen(env_path(path, sizeof path, "/proc/sys/kernel/perf_event_mlock_kb"), "re");
    if (f && fscanf(f, "%ld", &kb) != 1) /* NOLINT: a value out of range is shown unchanged */
        kb = 0;
    if (f)
        fclose(f);
    return kb;
}

const char *advice_locked_memory(char out[ADVICE_BYTES])
{
    long now = locked_kb();
    int n = snprintf(out, ADVICE_BYTES,
                     "end other programs of yours that use perf_event (perf, another rooftop), or "
                     "raise `ulimit -l`, or run rooftop with sudo");
    if (now > 0 && now < 1 << 20)
        snprintf(out + n, ADVICE_BYTES - (size_t)n,
                 "; or until the next boot `sudo sysctl kernel.perf_event_mlock_kb=%ld`: every "
                 "user may then lock %ld KB a CPU (=%ld undoes it)",
                 2 * now, 2 * now, now);
    return out;
}
