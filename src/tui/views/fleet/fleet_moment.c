#include "tui/views/fleet/fleet_moment.h"

#include <stdio.h>
#include <time.h>

enum { TIMES = 1024, FAR = 30 };

/* The last of the times that is not newer than the moment; the newest where it is now. */
static size_t find_time(const struct fleet_moment *m, const uint64_t *times, size_t n)
{
    size_t i = n - 1;
    while (m->wall_ns && i > 0 && times[i] > m->wall_ns)
        i--;
    return i;
}

/* Where an action leads from sample i of n: n is now. false: it is no action of time. */
static bool find_step(enum action a, size_t i, size_t n, size_t *to)
{
    switch (a) {
    case ACTION_TIME_BACK:
        *to = i ? i - 1 : 0;
        return true;
    case ACTION_TIME_BACK_FAR:
        *to = i > FAR ? i - FAR : 0;
        return true;
    case ACTION_TIME_START:
        *to = 0;
        return true;
    case ACTION_TIME_FORWARD:
        *to = i + 1;
        return true;
    case ACTION_TIME_FORWARD_FAR:
        *to = i + FAR < n ? i + FAR : n;
        return true;
    case ACTION_TIME_END:
    case ACTION_PLAY:
        *to = n;
        return true;
    default:
        return false;
    }
}

bool fleet_moment_act(struct fleet_moment *m, enum action a, struct fleet_run *run, int host,
                      struct fleet_picture **picture)
{
    uint64_t times[TIMES];
    size_t to;
    if (!run)
        return false;
    const size_t n = fleet_run_times(run, host, TIMES, times);
    if (n == 0 || !find_step(a, find_time(m, times, n), n, &to))
        return false;
    m->wall_ns = to + 1 < n ? times[to] : 0;
    if (m->wall_ns) {
        fleet_picture_unref(*picture);
        *picture = fleet_run_at(run, m->wall_ns);
    }
    return true;
}

const char *fleet_moment_text(const struct fleet_moment *m, char out[FLEET_MOMENT])
{
    const time_t seconds = (time_t)(m->wall_ns / 1000000000u);
    struct tm tm;
    out[0] = '\0';
    if (m->wall_ns && localtime_r(&seconds, &tm))
        strftime(out, FLEET_MOMENT, " at %d %b %H:%M:%S", &tm);
    return out;
}
