/*
 * Replaces everything that needs the HSA runtime, in a build without its headers: every request is
 * refused, with what would help. The Makefile compiles this file instead of those that include the
 * headers.
 */
#include "backends/hsa/inventory_fill.h"
#include "backends/replay/events.h"
#include "backends/replay/judge/gpu_trial.h"
#include "backends/replay/replay.h"

static const char what[] = "the HSA runtime";
static const char why[] = "this rooftop was built without its headers";
static const char help[] = "build it where libhsa-runtime-dev is installed (ROCm: hsa-rocr-devel)";

int hsa_inventory_fill(struct hsa_inventory *into, struct error *err)
{
    (void)into;
    return error_set(err, ERROR_UNSUPPORTED, 0, help, what, why);
}

static int refuse_replay(FILE *out)
{
    struct replay_events events = {.out = out};
    struct replay_failure f = {.err = ERROR_INIT};
    replay_fail(&f, REPLAY_RUNTIME, help, what, why);
    replay_event_error(&events, &f, NULL, NULL);
    return replay_kind_exit(f.kind);
}

int replay_full_vm(const struct replay_task *q, FILE *events)
{
    (void)q;
    return refuse_replay(events);
}

int replay_variants(const struct replay_task *q, FILE *events)
{
    (void)q;
    return refuse_replay(events);
}

int replay_reserve_check(const struct replay_task *q, FILE *events)
{
    (void)q;
    return refuse_replay(events);
}

int gpu_trial_run(const struct gpu_trial_task *t, FILE *events)
{
    (void)t;
    return refuse_replay(events);
}
