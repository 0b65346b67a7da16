#include "backends/lab/lab_impl.h"

#include <math.h>

#include "backends/perf_event/catalog.h"
#include "engine/live/metric.h"

static const char *const ids[LAB_TOPDOWN_PARTS] = {"td_retiring_pct", "td_frontend", "td_bad",
                                                   "td_backend"};

void lab_topdown(const struct lab_set *s, const double counts[LAB_EVENTS],
                 double out[LAB_TOPDOWN_PARTS])
{
    struct metric_set *metrics;
    struct error ignored = ERROR_INIT;
    for (int i = 0; i < LAB_TOPDOWN_PARTS; i++)
        out[i] = NAN;
    if (metric_compile(&metrics, arch_detect()->key, NULL, &ignored) != 0)
        return;
    struct snapshot *snap = snapshot_new(NULL);
    snap->interval_s = 1;
    for (size_t i = 0; i < s->n; i++) {
        struct counter *c = snapshot_add_counter(snap);
        c->set = "topdown";
        c->name = s->names[i];
        c->source = "perf";
        c->delta = value_ok(counts[i], UNIT_COUNT);
        c->rate = value_missing("a total", UNIT_COUNT_PER_S);
    }
    metric_evaluate(metrics, snap);
    for (int i = 0; i < LAB_TOPDOWN_PARTS; i++) {
        const struct metric *m = snapshot_metric(snap, ids[i]);
        if (m && m->value.validity == VALUE_OK)
            out[i] = m->value.v;
    }
    snapshot_unref(snap);
    metric_free(metrics);
}
