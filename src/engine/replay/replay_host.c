#include "engine/replay/replay_host.h"

#include <stdio.h>

#include "engine/value/value.h"
#include "gpu/isa.h"

static const char *isa_of_capture(const struct capture *c)
{
    return c->isa_name[0] ? c->isa_name : c->agent_name;
}

static uint64_t device_bytes(const struct capture *c)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < c->nregions; i++)
        if (c->regions[i].segment == CAPTURE_DEVICE)
            bytes += c->regions[i].size;
    return bytes;
}

bool replay_gpu_can(const struct replay_gpu *g, const struct capture *c, char why[REPLAY_WHY_MAX])
{
    why[0] = '\0';
    bool runs = false;
    for (size_t i = 0; i < g->nisas && !runs; i++)
        runs = isa_runs_on(isa_of_capture(c), g->isa[i], why, REPLAY_WHY_MAX);
    const uint64_t needed = device_bytes(c);
    if (!runs || !g->memory || needed <= g->memory)
        return runs;
    const struct value wanted = value_ok((double)needed, UNIT_BYTES),
                       has = value_ok((double)g->memory, UNIT_BYTES);
    char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    snprintf(why, REPLAY_WHY_MAX, "it holds %s of device memory, the GPU has %s",
             value_format(&wanted, true, a), value_format(&has, true, b));
    return false;
}

size_t replay_host_choose(const struct replay_host *h, const struct capture *c, size_t wanted)
{
    char why[REPLAY_WHY_MAX];
    if (wanted < h->ngpus && replay_gpu_can(&h->gpu[wanted], c, why))
        return wanted;
    for (size_t i = 0; i < h->ngpus; i++)
        if (replay_gpu_can(&h->gpu[i], c, why))
            return i;
    return wanted < h->ngpus ? wanted : 0;
}

enum replay_can replay_host_can(const struct replay_host *h, const struct capture *c,
                                char why[REPLAY_WHY_MAX])
{
    const char *wanted = isa_of_capture(c);
    char reason[REPLAY_WHY_MAX] = "";
    why[0] = '\0';
    if (!h->known || h->why[0] || h->ngpus == 0) {
        snprintf(why, REPLAY_WHY_MAX, "%s", h->why[0] ? h->why : "the runtime shows no GPU");
        return h->known ? REPLAY_CANNOT : REPLAY_CAN_UNKNOWN;
    }
    if (!wanted[0]) {
        snprintf(why, REPLAY_WHY_MAX, "the capture does not tell its instruction set");
        return REPLAY_CAN_UNKNOWN;
    }
    for (size_t i = 0; i < h->ngpus; i++)
        if (replay_gpu_can(&h->gpu[i], c, reason))
            return REPLAY_CAN;
    snprintf(why, REPLAY_WHY_MAX, "%s", reason);
    return REPLAY_CANNOT;
}
