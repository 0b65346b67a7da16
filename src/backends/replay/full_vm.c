/* Launches one kernel repeatedly from its captured state. */
#include <stdlib.h>

#include "backends/replay/result.h"
#include "engine/value/record.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/exit_code.h"

struct run_times {
    double *us, *host_us;
    size_t n;
};

static int one_launch(struct replay_session *s, struct replay_launch *out, struct replay_failure *f)
{
    return replay_queue_launch(&s->queue, &s->code[0], s->q->timeout_s, out, f);
}

/* Restores memory if wanted. *fresh: memory is as captured; updated. */
static int restore_if(struct replay_session *s, bool wanted, bool *fresh, struct replay_failure *f)
{
    if (*fresh || !wanted)
        return 0;
    *fresh = true;
    return replay_session_restore(s, &s->code[0], f);
}

static int warm_up(struct replay_session *s, bool *fresh, struct replay_failure *f)
{
    struct replay_launch launch;
    for (long i = 0; i < s->q->warmup; i++) {
        if (restore_if(s, s->q->recopy, fresh, f) != 0 || one_launch(s, &launch, f) != 0)
            return -1;
        *fresh = false;
    }
    return restore_if(s, true, fresh, f);
}

static int measure_runs(struct replay_session *s, struct run_times *to, bool *fresh,
                        struct replay_failure *f)
{
    struct replay_launch launch;
    for (long i = 0; i < s->q->iterations; i++) {
        if (restore_if(s, s->q->recopy, fresh, f) != 0)
            return -1;
        const uint64_t begin = env_now_ns();
        if (one_launch(s, &launch, f) != 0)
            return -1;
        *fresh = false;
        to->us[to->n] = launch.gpu_us;
        replay_event_iteration(&s->events, i, -1, launch.gpu_us);
        replay_event_progress(&s->events, (uint64_t)i + 1, (uint64_t)s->q->iterations);
        to->host_us[to->n++] = (double)(env_now_ns() - begin - launch.wait_ns) / 1e3;
        if (s->q->recopy && s->q->iterations > 1)
            replay_restore_memcpy(s->restore);
    }
    return 0;
}

static void tell_verify(void *ctx, uint64_t done, uint64_t total)
{
    replay_event_progress(ctx, done, total);
}

static int verify_one_launch(struct replay_session *s, struct replay_verdict *v, bool *fresh,
                             struct replay_failure *f)
{
    struct replay_launch launch;
    replay_event_stage(&s->events, REPLAY_STAGE_VERIFY);
    if (restore_if(s, true, fresh, f) != 0 || one_launch(s, &launch, f) != 0)
        return -1;
    *fresh = false;
    return replay_verify(v, s->c, s->workers, &s->q->rule, tell_verify, &s->events, f);
}

static int run_times_of(struct replay_session *s, struct run_times *to, struct replay_verdict *v,
                        struct replay_failure *f)
{
    bool fresh = true; /* replay_session_open has restored it */
    if (replay_code_restore(&s->code[0], f) != 0)
        return -1;
    replay_event_stage(&s->events, REPLAY_STAGE_RUN);
    if (warm_up(s, &fresh, f) != 0 || measure_runs(s, to, &fresh, f) != 0)
        return -1;
    return s->q->verify ? verify_one_launch(s, v, &fresh, f) : 0;
}

/* Opens the session; fails early where there is nothing to compare with. */
static int open_verified_session(struct replay_session *s, const struct replay_task *q,
                                 FILE *events, struct replay_failure *f)
{
    if (replay_session_check(s, q, events, true, f) != 0)
        return -1;
    if (q->verify && !s->c->has_after)
        return replay_fail(f, REPLAY_CAPTURE, "capture again with --post", "verify",
                           "the capture does not hold memory as it was after the kernel");
    return replay_session_hold(s, NULL, f) != 0 ? -1 : replay_session_open(s, f);
}

int replay_full_vm(const struct replay_task *q, FILE *events)
{
    struct replay_session s;
    struct replay_failure f = {.err = ERROR_INIT};
    struct replay_verdict v = {.equal = true};
    struct run_times times = {xcalloc((size_t)q->iterations, sizeof(double)),
                              xcalloc((size_t)q->iterations, sizeof(double)), 0};
    int rc = open_verified_session(&s, q, events, &f);
    if (rc == 0)
        rc = run_times_of(&s, &times, &v, &f);
    if (rc == 0) {
        cJSON *result = cJSON_CreateObject();
        replay_result_common(result, &s, &s.code[0]);
        cJSON_AddItemToObject(result, "timing",
                              replay_timing_json(times.us, times.host_us, times.n));
        if (q->verify)
            cJSON_AddItemToObject(result, "verify", record_object(replay_verdict_record, &v));
        replay_event_result(&s.events, result);
    } else {
        replay_session_explain(&s, &f);
        replay_event_error(&s.events, &f, &s.notes, NULL);
    }
    const bool equal = v.equal;
    replay_session_close(&s);
    replay_verdict_free(&v);
    free(times.us);
    free(times.host_us);
    if (rc != 0)
        return replay_kind_exit(f.kind);
    return equal ? 0 : EXIT_DIFFERS;
}
