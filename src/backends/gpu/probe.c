#include "backends/gpu/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/live/ask.h"

struct probe_answer {
    int32_t state; /* enum gpu_source_state */
    char text[256], help[320];
};

void *gpu_probe_answer(const struct gpu_worker_ops *ops, size_t *n)
{
    struct probe_answer *a = xcalloc(1, sizeof *a);
    struct gpus_build b = {0};
    gpus_clear(&b);
    void *state = ops->begin();
    ops->gather(state, &b, 0);
    if (b.g.nsources) {
        const struct gpu_source *s = &b.g.sources[0];
        a->state = s->state;
        snprintf(a->text, sizeof a->text, "%s", s->text);
        snprintf(a->help, sizeof a->help, "%s", s->help);
    }
    gpus_free(&b);
    ops->end(state);
    *n = sizeof *a;
    return a;
}

/* A source that works but could report more is partial, and its help says how. */
static enum probe_state gpu_probe_state(const struct probe_answer *a)
{
    if (a->state != GPU_SOURCE_OK)
        return PROBE_NO;
    return a->help[0] ? PROBE_PARTIAL : PROBE_YES;
}

void gpu_probe(const char *source, const char *id, const char *label, probe_sink sink, void *ctx)
{
    const struct question q = {
        .source = source,
        .what = label,
        .who = "the driver",
        .help = "see dmesg: a GPU that hangs or is being reset blocks its driver",
        .timeout_ms = GPU_PROBE_TIMEOUT_MS,
        .most = sizeof(struct probe_answer),
    };
    struct error err = ERROR_INIT;
    struct probe_answer a = {.state = GPU_SOURCE_BROKEN};
    void *bytes;
    size_t n;
    int rc = ask(&q, &bytes, &n, &err);
    if (rc == 0 && n == sizeof a) {
        memcpy(&a, bytes, sizeof a);
        a.text[sizeof a.text - 1] = a.help[sizeof a.help - 1] = '\0';
    } else {
        snprintf(a.text, sizeof a.text, "%s", rc ? err.why : "its answer is invalid");
        snprintf(a.help, sizeof a.help, "%s", rc ? err.help : q.help);
    }
    free(bytes);
    sink(ctx, &(struct probe_finding){.id = id,
                                      .label = label,
                                      .state = gpu_probe_state(&a),
                                      .why = a.text,
                                      .enable = a.help[0] ? a.help : NULL});
}
