/* A driver that answers, is slow, hangs or recovers: the sampling thread never waits for it. */
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backends/gpu/worker.h"
#include "support/test.h"

static atomic_int hanging, asked, ended;
static unsigned rest;
static int state_of_worker;

static void *begin(void)
{
    return &state_of_worker;
}

static unsigned gather(void *state, struct gpus_build *b, uint64_t now_ns)
{
    (void)state;
    asked++;
    while (hanging)
        usleep(500);
    int i = gpus_add(b, "not measured");
    b->g.gpu[i].id = "x:0";
    b->g.gpu[i].name = gpus_text(b, "GPU of %s", "a test");
    b->g.now[i].gfx_busy = value_ok((double)now_ns / 1e9, UNIT_PERCENT);
    gpu_source_tell(b, "fake", GPU_SOURCE_OK, "one", NULL);
    return rest;
}

static void end(void *state)
{
    (void)state;
    ended++;
}

static const struct gpu_worker_ops ops = {
    .name = "fake", .begin = begin, .gather = gather, .end = end};

static struct snapshot *poll_at(struct gpu_worker *w, uint64_t second)
{
    struct host *h = host_new();
    struct snapshot *s = snapshot_new(h);
    host_unref(h);
    gpu_worker_poll(w, s, second * 1000000000u);
    return s;
}

FIXTURE(set_up)
{
    hanging = asked = ended = 0;
    rest = 0;
}

/* Polls until the answer of this second has arrived. */
static struct snapshot *until_answered(struct gpu_worker *w, uint64_t second)
{
    for (int i = 0;; i++) {
        struct snapshot *s = poll_at(w, second);
        if (s->gpus->n && s->gpus->now[0].gfx_busy.validity == VALUE_OK)
            return s;
        snapshot_unref(s);
        assert_true(i < 60000);
        usleep(500); /* only this test waits for an overdue answer */
    }
}

TEST_WITH(an_answer_outlives_its_worker, set_up, NULL)
{
    struct error err = ERROR_INIT;
    struct gpu_worker *w = gpu_worker_start(&ops, &err);
    struct snapshot *s = until_answered(w, 7);
    gpu_worker_stop(w);
    assert_string_equal(s->gpus->gpu[0].name, "GPU of a test");
    assert_float_equal(s->gpus->now[0].gfx_busy.v, 7, 0);
    assert_string_equal(s->gpus->now[0].power.why, "not measured");
    assert_int_equal(s->gpus->sources[0].state, GPU_SOURCE_OK);
    snapshot_unref(s);
    snapshot_pool_drain();
}

TEST_WITH(a_driver_that_hangs_from_the_start_is_said_to_be_asked, set_up, NULL)
{
    struct error err = ERROR_INIT;
    hanging = 1;
    struct gpu_worker *w = gpu_worker_start(&ops, &err);
    struct snapshot *s = poll_at(w, 1);
    assert_int_equal(s->gpus->n, 0);
    assert_int_equal(s->gpus->sources[0].state, GPU_SOURCE_WAITING);
    snapshot_unref(s);
    s = poll_at(w, 1 + GPU_WORKER_STUCK_S);
    assert_int_equal(s->gpus->sources[0].state, GPU_SOURCE_BROKEN);
    assert_non_null(strstr(s->gpus->sources[0].text, "not answered for 5 s"));
    snapshot_unref(s);
    hanging = 0;
    gpu_worker_stop(w);
    snapshot_pool_drain();
}

TEST_WITH(numbers_that_are_overdue_are_missing_and_come_back, set_up, NULL)
{
    struct error err = ERROR_INIT;
    struct gpu_worker *w = gpu_worker_start(&ops, &err);
    snapshot_unref(until_answered(w, 1));
    hanging = 1;
    struct snapshot *s = poll_at(w, 2);
    while (asked < 2) /* an earlier answer may have come first */
        usleep(500);
    snapshot_unref(s);
    s = poll_at(w, 20);
    assert_int_equal(s->gpus->n, 1); /* the last answer is still shown */
    assert_string_equal(s->gpus->gpu[0].name, "GPU of a test");
    assert_int_equal(s->gpus->now[0].gfx_busy.validity, VALUE_MISSING);
    assert_non_null(strstr(s->gpus->now[0].gfx_busy.why, "fake has not answered"));
    snapshot_unref(s);
    hanging = 0;
    s = until_answered(w, 21);
    snapshot_unref(s);
    gpu_worker_stop(w);
    snapshot_pool_drain();
}

TEST_WITH(stopping_does_not_wait_for_what_hangs, set_up, NULL)
{
    struct error err = ERROR_INIT;
    hanging = 1;
    struct gpu_worker *w = gpu_worker_start(&ops, &err);
    snapshot_unref(poll_at(w, 1));
    gpu_worker_stop(w); /* the test is that this returns */
    assert_int_equal(ended, 0);
    hanging = 0;
    for (int i = 0; i < 20000 && !ended;
         i++) /* when the driver returns, the thread frees everything */
        usleep(500);
    assert_int_equal(ended, 1);
    usleep(1000);
    snapshot_pool_drain();
}

TEST_WITH(a_source_that_asks_for_rest_gets_it, set_up, NULL)
{
    struct error err = ERROR_INIT;
    rest = 10;
    struct gpu_worker *w = gpu_worker_start(&ops, &err);
    snapshot_unref(until_answered(w, 1));
    for (uint64_t second = 5; second <= 10; second += 5) { /* a worker that rests is not late */
        struct snapshot *s = poll_at(w, second);
        assert_int_equal(s->gpus->now[0].gfx_busy.validity, VALUE_OK);
        assert_float_equal(s->gpus->now[0].gfx_busy.v, 1, 0); /* the previous answer */
        assert_int_equal(s->gpus->sources[0].state, GPU_SOURCE_OK);
        snapshot_unref(s);
        assert_int_equal(asked, 1);
    }
    snapshot_unref(poll_at(w, 11));
    for (int i = 0; i < 20000 && asked < 2; i++)
        usleep(500);
    assert_int_equal(asked, 2);
    gpu_worker_stop(w);
    snapshot_pool_drain();
}
