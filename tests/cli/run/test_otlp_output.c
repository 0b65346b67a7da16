/* What became of spans is told whole: what was refused and what is lost, each with its reason. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "cli/run/otlp_output.h"
#include "export/delivery/http.h"
#include "support/collector.h"
#include "support/otlp_read.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

TEST(test_both)
{
    const struct delivery_report r = {.refused = 3,
                                      .rejected = 4,
                                      .lost = 5,
                                      .rejected_why = "it answers HTTP status 400",
                                      .lost_why = "the spool is full",
                                      .folder = "/spool"};
    struct error err = ERROR_INIT;
    assert_int_not_equal(otlp_report_error(&r, "http://h/v1/traces", &err), 0);
    assert_int_equal(err.kind, ERROR_OUTPUT);
    assert_string_equal(err.what, "http://h/v1/traces");
    assert_string_equal(err.why, "7 spans were refused: it answers HTTP status 400; "
                                 "5 spans are lost: the spool is full");
    assert_non_null(strstr(err.help, "--otlp-spool-size"));
}

TEST(test_one)
{
    struct error err = ERROR_INIT;
    struct delivery_report r = {.rejected = 1};
    assert_int_not_equal(otlp_report_error(&r, "http://h", &err), 0);
    assert_string_equal(err.why, "1 span was refused");
    r = (struct delivery_report){.lost = 2, .lost_why = "no space left", .folder = "/spool"};
    assert_int_not_equal(otlp_report_error(&r, "http://h", &err), 0);
    assert_string_equal(err.what, "/spool");
    assert_string_equal(err.why, "2 spans are lost: no space left");
    r = (struct delivery_report){.taken = 9, .waiting = 9, .damaged = 1};
    assert_int_equal(otlp_report_error(&r, "http://h", &err), 0);
}

#define BOOTED UINT64_C(1000000000000)
static uint64_t told_ns;

static uint64_t told_clock(void *ctx)
{
    (void)ctx;
    return told_ns;
}

/* A sample a second later; child: the process that the command started is there. */
static void look(struct otlp_output *x, const struct options *o, bool running, bool child)
{
    char name[] = "child";
    struct proc p = {.pid = 78,
                     .ppid = 77,
                     .start_ticks = 1 + 500 * (uint64_t)sysconf(_SC_CLK_TCK),
                     .watched = true,
                     .state = 'R'};
    p.comm = name;
    p.cmdline = name;
    struct snapshot s = {.target_kind = TARGET_COMMAND, .procs = &p, .nprocs = child};
    told_ns += 1000000000;
    s.time_ns = env_now_ns();
    s.wall_ns = env_wall_ns();
    s.uptime_s = value_ok((double)(told_ns - BOOTED) / 1e9, UNIT_SECONDS);
    s.command.pid = 77;
    s.command.running = running;
    otlp_output_look(x, o, &s);
}

/* The time of day is set back, and ahead, while a command runs: its spans last as long as it ran.
 */
TEST_WITH(test_steps_of_the_clock, temp_folder_make, temp_folder_remove)
{
    static const int64_t steps[] = {-3600000000000, 86400000000000};
    static const char *const answers[] = {ANSWER_200, NULL};
    char *argv[] = {(char *)"steps", NULL}; /* NOLINT: execve's type */
    struct error err = ERROR_INIT;
    if (!http_available(ENDPOINT_PROTOBUF, NULL, 0, &err))
        skip_because("sending spans: %s", err.why);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct collector c;
        struct otlp_output x;
        struct read_spans spans = {.n = 0};
        char url[64], spool[128];
        collector_start(&c, 0, answers);
        snprintf(url, sizeof url, "http://127.0.0.1:%d", c.port);
        snprintf(spool, sizeof spool, "%s/spool", temp_folder);
        const struct options o = {.argv = argv, .otlp = {.url = url, .spool = spool, .wait_s = 60}};
        told_ns = BOOTED + UINT64_C(500000000000);
        env_set_clock(told_clock, NULL);
        assert_int_equal(otlp_output_open(&x, &o, "steps", true, 0, &err), 0);
        assert_non_null(otlp_output_stream(&x, &o, false));
        look(&x, &o, true, true);
        env_set_wall_step(steps[i]);
        look(&x, &o, true, true);
        look(&x, &o, false, false);
        assert_int_equal(otlp_output_end(&x, &err), 0);
        env_set_wall_step(0);
        env_set_clock(NULL, NULL);
        collector_stop(&c);
        for (size_t k = 0; k < c.n; k++)
            otlp_read(&spans, c.list[k].body, c.list[k].n);
        const struct read_span *command = otlp_named(&spans, "steps");
        const struct read_span *child = otlp_named(&spans, "child");
        assert_int_equal(command->end - command->begin, UINT64_C(3000000000));
        assert_true(child->begin >= command->begin && child->end <= command->end);
        assert_true(child->begin <= child->end);
        otlp_read_free(&spans);
        collector_free(&c);
    }
}
