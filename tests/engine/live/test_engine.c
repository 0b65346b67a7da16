#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "engine/live/engine.h"
#include "engine/live/source.h"
#include "support/test.h"

/* A source that records the calls it gets. Tests read the fields only while no thread runs. */
struct source {
    int polls;
};
static char journal[4096];
static int fail_open;  /* errno for the next times that "two" is opened */
static pid_t fail_pid; /* opening this pid fails */
static struct source one, two;

static void note(const char *what)
{
    size_t n = strlen(journal);
    snprintf(journal + n, sizeof journal - n, "%s ", what);
}

static int open_one(struct source **out, struct source_config *config, struct error *err)
{
    (void)err;
    note("open1");
    config->host->ncpus = 2;
    __atomic_store_n(&one.polls, 0, __ATOMIC_SEQ_CST);
    *out = &one;
    return 0;
}

static int open_two(struct source **out, struct source_config *config, struct error *err)
{
    note("open2");
    if (fail_open)
        return error_set(err, ERROR_TARGET, fail_open, NULL, "open two", "told to fail");
    if (config->target->npids && config->target->pids[0] == fail_pid)
        return error_set(err, ERROR_TARGET, ESRCH, NULL, "attach", "no such process");
    *out = &two;
    return 0;
}

static int start_two(struct source *self, struct error *err)
{
    (void)self;
    (void)err;
    note("start2");
    return 0;
}

static void poll_one(struct source *self, struct snapshot *s, uint64_t now)
{
    (void)now;
    note("poll1");
    struct counter *c = snapshot_add_counter(s);
    c->name = "polls";
    c->raw = (uint64_t)__atomic_add_fetch(&self->polls, 1, __ATOMIC_SEQ_CST);
}

static void poll_two(struct source *self, struct snapshot *s, uint64_t now)
{
    (void)self;
    (void)now;
    note("poll2");
    assert_non_null(snapshot_counter(s, NULL, "polls")); /* polled after "one" */
}

static void close_one(struct source *self)
{
    (void)self;
    note("close1");
}

static void close_two(struct source *self)
{
    (void)self;
    note("close2");
}

static const struct source_ops ops_one = {
    .name = "one", .open = open_one, .poll = poll_one, .close = close_one};
static const struct source_ops ops_two = {
    .name = "two", .open = open_two, .start = start_two, .poll = poll_two, .close = close_two};
static const struct source_ops *const fakes[] = {&ops_one, &ops_two, NULL};

static struct engine *make(double interval_s)
{
    journal[0] = '\0';
    fail_open = 0;
    fail_pid = 0;
    struct engine_config config = {.interval_s = interval_s, .sources = fakes};
    return engine_new(&config);
}

/* The next snapshot; gives up after far longer than any machine needs. */
static const struct snapshot *next(struct engine *e)
{
    for (int i = 0; i < 200; i++) {
        const struct snapshot *s = engine_take(e);
        if (s)
            return s;
        struct pollfd p = {.fd = engine_fd(e), .events = POLLIN};
        poll(&p, 1, 100);
    }
    return NULL;
}

TEST(sources_open_poll_start_and_close_in_order)
{
    struct error err = ERROR_INIT;
    struct engine *e = make(1);
    const struct snapshot *a = engine_step(e, &err), *b = engine_step(e, &err);
    assert_non_null(a);
    assert_int_equal(a->seq, 1);
    assert_true(a->interval_s == 0);
    assert_int_equal(b->seq, 2);
    assert_true(b->interval_s > 0);
    assert_int_equal(b->ncosts, 2);
    assert_string_equal(b->target, "this host");
    engine_free(e);
    assert_string_equal(journal, "open1 open2 poll1 poll2 start2 poll1 poll2 close2 close1 ");
    assert_int_equal(b->host->ncpus, 2); /* snapshots outlive the engine */
    snapshot_unref(a);
    snapshot_unref(b);
}

static uint64_t told_ns;

static uint64_t told_clock(void *ctx)
{
    (void)ctx;
    return told_ns;
}

/* Rates need the seconds since the previous snapshot, by the clock. */
TEST(the_interval_is_the_time_since_the_last_snapshot)
{
    static const uint64_t steps_ns[] = {1000000000, 250000000, 3000000000, 1};
    struct error err = ERROR_INIT;
    told_ns = 86400000000000;
    env_set_clock(told_clock, NULL);
    struct engine *e = make(1);
    snapshot_unref(engine_step(e, &err));
    for (size_t i = 0; i < sizeof steps_ns / sizeof *steps_ns; i++) {
        told_ns += steps_ns[i];
        const struct snapshot *s = engine_step(e, &err);
        assert_true(s->interval_s == (double)steps_ns[i] / 1e9);
        assert_int_equal(s->time_ns, told_ns);
        snapshot_unref(s);
    }
    engine_free(e);
    env_set_clock(NULL, NULL);
}

/* The time of day may jump; rates, order and history use the monotonic clock. */
TEST(a_step_of_the_clock_changes_only_the_time_of_day)
{
    static const int64_t steps_ns[] = {0, 3600000000000, -7200000000000, 86400000000000 * 365, 0};
    struct error err = ERROR_INIT;
    uint64_t before = 0;
    told_ns = UINT64_C(1700000000000000000);
    env_set_clock(told_clock, NULL);
    struct engine *e = make(1);
    snapshot_unref(engine_step(e, &err));
    for (size_t i = 0; i < sizeof steps_ns / sizeof *steps_ns; i++) {
        told_ns += 1000000000;
        env_set_wall_step(steps_ns[i]);
        const struct snapshot *s = engine_step(e, &err);
        assert_true(s->interval_s == 1);
        assert_true(s->time_ns > before);
        assert_true(s->wall_ns == told_ns + (uint64_t)steps_ns[i]);
        before = s->time_ns;
        snapshot_unref(s);
    }
    engine_free(e);
    env_set_wall_step(0);
    env_set_clock(NULL, NULL);
}

TEST(a_failed_open_closes_what_was_open_and_says_why)
{
    struct error err = ERROR_INIT;
    struct engine *e = make(1);
    fail_open = ESRCH;
    assert_null(engine_step(e, &err));
    assert_int_equal(err.kind, ERROR_TARGET);
    assert_int_equal(err.code, ESRCH);
    assert_string_equal(journal, "open1 open2 close1 ");
    engine_free(e);
}

TEST(the_thread_publishes_in_order)
{
    struct error err = ERROR_INIT;
    struct engine *e = make(0.05);
    assert_int_equal(engine_start(e, &err), 0);
    for (uint64_t i = 1; i <= 5; i++) {
        const struct snapshot *s = next(e);
        assert_non_null(s);
        assert_int_equal(s->seq, i);
        assert_int_equal(s->counters[0].raw, i);
        snapshot_unref(s);
    }
    engine_set_interval(e, 100);
    engine_wake(e);
    const struct snapshot *s = next(e); /* a wake samples at once, whatever the interval */
    assert_non_null(s);
    assert_true(s->asked_interval_s == 100);
    snapshot_unref(s);
    struct target other = {.kind = TARGET_PIDS, .npids = 1, .pids = (pid_t[]){5}};
    engine_retarget(e, &other);
    s = next(e); /* and so does another target, after what was on its way */
    for (int i = 0; i < 2 && s && strcmp(s->target, "pid 5") != 0; i++) {
        snapshot_unref(s);
        s = next(e);
    }
    assert_non_null(s);
    assert_string_equal(s->target, "pid 5");
    snapshot_unref(s);
    engine_free(e); /* it sleeps for long, but this must return at once */
}

TEST(an_unread_queue_keeps_the_newest)
{
    struct error err = ERROR_INIT;
    struct engine *e = make(0.001);
    assert_int_equal(engine_start(e, &err), 0);
    for (int i = 0; i < 20000 && __atomic_load_n(&one.polls, __ATOMIC_SEQ_CST) < 80; i++)
        usleep(1000);
    const struct snapshot *s = next(e);
    assert_non_null(s);
    assert_true(s->seq > 1); /* at most 64 wait: the first ones were dropped */
    snapshot_unref(s);
    engine_free(e);
}

TEST(a_failed_retarget_goes_back)
{
    struct error err = ERROR_INIT;
    struct engine *e = make(0.05);
    fail_pid = 77;
    assert_int_equal(engine_start(e, &err), 0);
    snapshot_unref(next(e));
    struct target good = {.kind = TARGET_PIDS, .npids = 2, .pids = (pid_t[]){5, 6}};
    struct target bad = {.kind = TARGET_PIDS, .npids = 1, .pids = (pid_t[]){77}};
    engine_retarget(e, &good);
    bool seen = false;
    for (int i = 0; i < 100 && !seen; i++) {
        const struct snapshot *s = next(e);
        assert_non_null(s);
        seen = strcmp(s->target, "pid 5, 6") == 0;
        snapshot_unref(s);
    }
    assert_true(seen);
    assert_false(engine_failure(e, &err));
    engine_retarget(e, &bad);
    bool failed = false;
    for (int i = 0; i < 100 && !failed; i++) {
        snapshot_unref(next(e));
        failed = engine_failure(e, &err);
    }
    assert_true(failed);
    assert_int_equal(err.code, ESRCH);
    const struct snapshot *s = NULL;
    for (int i = 0; i < 3; i++) {
        snapshot_unref(s);
        s = next(e);
        assert_non_null(s);
    }
    assert_string_equal(s->target, "pid 5, 6");
    snapshot_unref(s);
    engine_free(e);
}

TEST(saving_output_without_a_command_is_refused)
{
    struct error err = ERROR_INIT;
    struct engine *e = make(1);
    int status;
    snapshot_unref(engine_step(e, &err));
    assert_true(engine_save_output(e, "/nonexistent/x", &err) < 0);
    assert_int_equal(err.kind, ERROR_TARGET);
    assert_int_equal(engine_command_status(e, &status), -1);
    engine_free(e);
    snapshot_pool_drain();
}
