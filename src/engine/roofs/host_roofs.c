#include "engine/roofs/host_roofs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum { ABOVE_PERCENT = 2 }; /* what the measured clock may be wrong by */

static const char *const kinds[HOST_ROOF_KINDS] = {"operations", "bandwidth", "latency", "loaded"};

const char *host_roof_kind_name(enum host_roof_kind kind)
{
    return kinds[kind];
}

static bool is_above_theory(const struct host_roof *r)
{
    return isfinite(r->theory) && isfinite(r->per_cycle) &&
           r->per_cycle > r->theory * (100 + ABOVE_PERCENT) / 100;
}

void host_roofs_add(struct host_roofs *r, const struct host_roof *row)
{
    if (r->n == HOST_ROOFS_MAX)
        return;
    LIST_ROOM(r->rows, r->n, r->room);
    struct host_roof *at = &r->rows[r->n++];
    *at = *row;
    if (at->refused[0] == '\0' && is_above_theory(at))
        snprintf(
            at->refused, sizeof at->refused,
            "%.1f %% of what the CPU can do at the measured clock: the clock changed meanwhile "
            "(boost), or the table of this CPU is wrong",
            100 * at->per_cycle / at->theory);
}

void host_roofs_free(struct host_roofs *r)
{
    free(r->rows);
    *r = (struct host_roofs){.n = 0};
}

bool host_roofs_hold(const struct host_roofs *then, const struct host_roofs *now, char *why,
                     size_t size)
{
    const struct {
        const char *what, *then, *now;
    } facts[] = {{"CPU", then->cpu, now->cpu},
                 {"microcode", then->microcode, now->microcode},
                 {"governor", then->governor, now->governor}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (strcmp(facts[i].then, facts[i].now) != 0) {
            snprintf(why, size, "they were measured with %s '%.60s', and now it is '%.60s'",
                     facts[i].what, facts[i].then[0] ? facts[i].then : "unknown",
                     facts[i].now[0] ? facts[i].now : "unknown");
            return false;
        }
    return true;
}
