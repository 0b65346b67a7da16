#include <math.h>
#include <stdio.h>

#include "engine/live/live_series.h"
#include "engine/live/metric.h"
#include "support/test.h"

static const struct metric_def ipc = {.id = "ipc", .label = "IPC", .set = "core"};

static void push(struct live_series *h, double busy, const double *metric, const double *rate,
                 int t)
{
    struct snapshot *s = snapshot_new(NULL);
    s->time_ns = (uint64_t)t * 1000000000u;
    s->total.busy = value_ok(busy, UNIT_PERCENT);
    struct metric m = {.def = &ipc};
    if (metric) {
        m.value = value_ok(*metric, UNIT_PER_CYCLE);
        s->metrics = &m;
        s->nmetrics = 1;
    }
    if (rate) {
        struct counter *c = snapshot_add_counter(s);
        c->set = "core";
        c->name = "cycles";
        c->rate = value_ok(*rate, UNIT_COUNT_PER_S);
    }
    live_series_push(h, s);
    s->metrics = NULL;
    snapshot_unref(s);
}

TEST(newest_is_last_and_gaps_are_nan)
{
    struct live_series *h = live_series_new();
    float out[4];
    double m = 1.5, r = 7;
    assert_int_equal(live_series_get(h, "cpu.busy", out, 4), 0);
    assert_true(isnan(out[0]));
    push(h, 10, NULL, &r, 0);
    push(h, 20, &m, NULL, 1);
    push(h, 30, NULL, &r, 3);
    assert_int_equal(live_series_len(h), 3);
    assert_int_equal(live_series_get(h, "cpu.busy", out, 4), 3);
    assert_true(isnan(out[0]));
    assert_true(out[1] == 10 && out[2] == 20 && out[3] == 30);
    assert_int_equal(live_series_get(h, "m:ipc", out, 4), 2); /* it appeared at the second sample */
    assert_true(isnan(out[1]) && out[2] == 1.5f && isnan(out[3]));
    live_series_get(h, "c:core/cycles", out, 3);
    assert_true(out[0] == 7 && isnan(out[1]) && out[2] == 7);
    assert_int_equal(live_series_get(h, "no such", out, 3), 0);
    assert_true(live_series_age(h, 0) == 0 && live_series_age(h, 2) == 3 &&
                isnan(live_series_age(h, 3)));
    live_series_free(h);
}

TEST(what_is_watched_has_series)
{
    struct live_series *h = live_series_new();
    float out[2];
    for (int t = 0; t < 3; t++) {
        struct snapshot *s = snapshot_new(NULL);
        s->target_kind = t ? TARGET_PIDS : TARGET_HOST;
        s->use.threads = 3;
        s->use.processes = t < 2;
        s->use.memory = t == 1 ? value_ok(4096, UNIT_BYTES) : value_missing("ended", UNIT_BYTES);
        live_series_push(h, s);
        snapshot_unref(s);
    }
    assert_int_equal(live_series_get(h, "target.memory", out, 2), 2); /* none of the host */
    assert_true(out[0] == 4096 && isnan(out[1]));
    live_series_get(h, "target.threads", out, 2);
    assert_true(out[0] == 3 && isnan(out[1]));
    live_series_free(h);
}

TEST(the_ring_wraps)
{
    struct live_series *h = live_series_new();
    static float out[LIVE_SERIES_LEN + 10];
    for (int i = 0; i < LIVE_SERIES_LEN + 50; i++)
        push(h, i, NULL, NULL, i);
    assert_int_equal(live_series_len(h), LIVE_SERIES_LEN);
    assert_int_equal(live_series_get(h, "cpu.busy", out, LIVE_SERIES_LEN + 10), LIVE_SERIES_LEN);
    assert_true(isnan(out[9]) && out[10] == 50 && out[LIVE_SERIES_LEN + 9] == LIVE_SERIES_LEN + 49);
    assert_int_equal(live_series_get(h, "cpu.busy", out, 2), 2);
    assert_true(out[1] == LIVE_SERIES_LEN + 49);
    assert_true(live_series_age(h, LIVE_SERIES_LEN - 1) == LIVE_SERIES_LEN - 1);
    live_series_free(h);
    snapshot_pool_drain();
}
