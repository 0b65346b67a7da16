#include "engine/replay_host.h"

#include <stdio.h>

#include "gpu/isa.h"

enum replay_can replay_host_can(const struct replay_host *h, const struct capture *c,
                                char why[REPLAY_WHY_MAX])
{
    const char *wanted = c->isa_name[0] ? c->isa_name : c->agent_name;
    char reason[REPLAY_WHY_MAX] = "";
    why[0] = '\0';
    if (!h->known || h->why[0] || h->nisas == 0) {
        snprintf(why, REPLAY_WHY_MAX, "%s", h->why[0] ? h->why : "the runtime shows no GPU");
        return h->known ? REPLAY_CANNOT : REPLAY_CAN_UNKNOWN;
    }
    if (!wanted[0]) {
        snprintf(why, REPLAY_WHY_MAX, "the capture does not tell its instruction set");
        return REPLAY_CAN_UNKNOWN;
    }
    for (size_t i = 0; i < h->nisas; i++)
        if (isa_runs_on(wanted, h->isa[i], reason, sizeof reason))
            return REPLAY_CAN;
    snprintf(why, REPLAY_WHY_MAX, "%s", reason);
    return REPLAY_CANNOT;
}
