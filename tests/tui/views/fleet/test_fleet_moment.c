/* The keys of time in the fleet go through the samples of a host. */
#include "tui/views/fleet/fleet_moment.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

#define SECOND UINT64_C(1000000000)
enum { SAMPLES = 40 };

/* A source whose host has a past, a sample a second: its CPU is as busy as the second says. */
static int begin_past(struct fleet_source *self, struct fleet *f, struct error *err)
{
    (void)self;
    const int host = fleet_add_host(f, "one", 1, err);
    for (uint64_t i = 1; i <= SAMPLES; i++) {
        struct fleet_sample s;
        fleet_sample_begin(&s, i * SECOND);
        fleet_sample_add(&s, FLEET_cpu, (double)i);
        fleet_take_sample(f, host, &s, 0);
    }
    return 0;
}

static int past_fd(const struct fleet_source *self)
{
    (void)self;
    return -1;
}

static uint64_t poll_past(struct fleet_source *self, struct fleet *f, uint64_t now_ns)
{
    (void)self, (void)f, (void)now_ns;
    return UINT64_MAX;
}

static void end_past(struct fleet_source *self)
{
    (void)self;
}

static const struct fleet_source_ops past_ops = {
    .name = "past", .start = begin_past, .fd = past_fd, .poll = poll_past, .stop = end_past};

TEST(keys_of_time_go_through_the_samples)
{
    static const struct {
        enum action action;
        double cpu; /* 0: now */
    } steps[] = {
        {ACTION_TIME_BACK, SAMPLES - 1},
        {ACTION_TIME_BACK, SAMPLES - 2},
        {ACTION_TIME_FORWARD, SAMPLES - 1},
        {ACTION_TIME_FORWARD, 0},
        {ACTION_TIME_START, 1},
        {ACTION_TIME_BACK, 1},
        {ACTION_TIME_FORWARD_FAR, 31},
        {ACTION_TIME_BACK_FAR, 1},
        {ACTION_TIME_END, 0},
    };
    struct error err = ERROR_INIT;
    const struct fleet_source_of source = {&past_ops, NULL};
    const struct fleet_run_config config = {
        .sources = &source, .nsources = 1, .interval_s = 1, .history = 100};
    struct fleet_run *run;
    struct fleet_moment m = {0};
    struct fleet_picture *picture = NULL;
    char text[FLEET_MOMENT];
    assert_int_equal(fleet_run_start(&run, &config, &err), 0);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_true(fleet_moment_act(&m, steps[i].action, run, -1, &picture));
        fleet_moment_text(&m, text);
        if (steps[i].cpu == 0) {
            assert_int_equal(m.wall_ns, 0);
            assert_string_equal(text, "");
            continue;
        }
        if (!picture->past || picture->rows[0].v[FLEET_cpu] != steps[i].cpu)
            fail_msg("step %zu: %g", i, picture->rows[0].v[FLEET_cpu]);
        assert_non_null(strstr(text, " at "));
    }
    assert_false(fleet_moment_act(&m, ACTION_DETAILS, run, 0, &picture));
    assert_false(fleet_moment_act(&m, ACTION_TIME_BACK, NULL, 0, &picture));
    fleet_picture_unref(picture);
    fleet_run_end(run);
}

TEST_MAIN(NULL, NULL)
