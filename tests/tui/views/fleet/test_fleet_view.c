/* The view of many hosts: pictures, order, filter, what the selected host says, and opening it. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "engine/fleet/fleet_run.h"
#include "support/golden.h"
#include "support/stage.h"
#include "support/stage_picture.h"
#include "support/test.h"
#include "tui/canvas/render.h"

#define S UINT64_C(1000000000)
enum { HOSTS = 12, SAMPLES = 20, HOT = 4, LOST = 7, LATE = 9, ODD_NAME = 2 };

static struct stage s;
static struct fleet_run *run;
static uint64_t now_ns;
static bool idle; /* the hosts do nothing, and have no other number */

/* Time stands still, so that ages are those of the pictures. */
static uint64_t stopped_clock(void *ctx)
{
    (void)ctx;
    return 5000 * S;
}

/* --- a source whose hosts are written here --- */

static void add_busy_numbers(struct fleet_sample *one, int h)
{
    fleet_sample_add(one, FLEET_memory, 20 + h % 2);
    fleet_sample_add(one, FLEET_gpu_busy, h == HOT ? 31 : 95);
    fleet_sample_add(one, FLEET_gpu_temperature, h == HOT ? 94 : 60 + h % 3);
    fleet_sample_add(one, FLEET_net_in, 1e6 * (h + 1));
}

static void add_hosts(struct fleet *f)
{
    char name[40];
    struct error err = ERROR_INIT;
    for (int h = 0; h < HOSTS; h++) {
        snprintf(name, sizeof name, h == ODD_NAME ? "\x1b[31mn%02d" : "node%02d", h);
        const int host = fleet_add_host(f, name, 1, &err);
        for (uint64_t t = 1; t <= SAMPLES; t++) {
            struct fleet_sample one;
            fleet_sample_begin(&one, 1000 * S + t * S);
            fleet_sample_add(&one, FLEET_cpu, idle ? 0 : 40 + h % 3 + (double)(t % 4));
            if (!idle)
                add_busy_numbers(&one, h);
            fleet_take_sample(f, host, &one, h == LATE ? now_ns - 8 * S : now_ns - S / 2);
        }
    }
    fleet_set_state(f, LOST, FLEET_LOST, "Permission denied (publickey).");
    fleet_add_host(f, "new", 1, &err);
}

static int start_written(struct fleet_source *self, struct fleet *f, struct error *err)
{
    (void)self;
    (void)err;
    add_hosts(f);
    return 0;
}

static int written_fd(const struct fleet_source *self)
{
    (void)self;
    return -1;
}

static uint64_t poll_written(struct fleet_source *self, struct fleet *f, uint64_t now)
{
    (void)self;
    (void)f;
    (void)now;
    return UINT64_MAX;
}

static void stop_written(struct fleet_source *self)
{
    (void)self;
}

static char **visit_written(const struct fleet_source *self, const char *host)
{
    (void)self;
    char **words = calloc(2, sizeof *words);
    assert_non_null(words);
    words[0] = strdup(host);
    return words;
}

static const struct fleet_source_ops written = {.name = "written",
                                                .start = start_written,
                                                .fd = written_fd,
                                                .poll = poll_written,
                                                .stop = stop_written,
                                                .visit = visit_written};

static void open_fleet(int cols, int rows)
{
    struct error err = ERROR_INIT;
    const struct fleet_source_of source = {.ops = &written};
    const struct fleet_run_config config = {.sources = &source, .nsources = 1, .interval_s = 1000};
    stage_open(&s, "vm", cols, rows, 3);
    env_set_clock(stopped_clock, NULL);
    now_ns = env_now_ns();
    assert_int_equal(fleet_run_start(&run, &config, &err), 0);
    app_set_fleet(s.a, run);
    struct pollfd fd = {.fd = fleet_run_fd(run), .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 60000), 1);
    app_job_done(s.a);
    stage_look(&s);
}

FIXTURE(close_fleet)
{
    stage_close(&s);
    fleet_run_end(run);
    run = NULL;
    idle = false;
    env_set_clock(NULL, NULL);
}

/* The rows of the screen on which two hosts stand. */
static void assert_above(const char *above, const char *below)
{
    int x, y[2];
    assert_true(stage_find(&s, above, &x, &y[0]));
    assert_true(stage_find(&s, below, &x, &y[1]));
    assert_true(y[0] < y[1]);
}

TEST_WITH(hosts_are_rows_and_the_worst_come_first, NULL, close_fleet)
{
    open_fleet(200, 50);
    stage_picture(&s, "fleet-hosts");
    stage_look(&s);
    assert_above("node07", "node09");
    assert_above("node09", "node04");
    assert_above("node04", "node00");
    assert_true(stage_sees(&s, "Permission denied (publickey)."));
    assert_true(stage_sees(&s, "no sample has come in time"));
    assert_true(stage_sees(&s, "1 lost; 1 far from the others"));
    assert_true(stage_sees(&s, "many hosts · 1 s"));
    assert_true(stage_sees(&s, "gpu_busy 31.0 %"));
    assert_true(stage_sees(&s, "; 1 more"));
}

TEST_WITH(a_filter_and_an_order_are_those_of_other_lists, NULL, close_fleet)
{
    struct error err = ERROR_INIT;
    open_fleet(120, 40);
    assert_int_equal(app_set_filter(s.a, "gpu_temperature>90", &err), 0);
    stage_look(&s);
    assert_true(stage_sees(&s, "node04") && !stage_sees(&s, "node00"));
    assert_int_equal(app_set_filter(s.a, "state=lost", &err), 0);
    stage_look(&s);
    assert_true(stage_sees(&s, "node07") && !stage_sees(&s, "node04"));
    assert_int_equal(app_set_filter(s.a, "", &err), 0);
    stage_command(&s, "sort net_in");
    stage_look(&s);
    assert_above("node11", "node01");
}

TEST_WITH(enter_asks_for_the_host_under_the_cursor, NULL, close_fleet)
{
    open_fleet(80, 24);
    stage_command(&s, "sort name");
    stage_key(&s, KEY_HOME_);
    stage_key(&s, KEY_DOWN_);
    stage_key(&s, KEY_DOWN_);
    stage_look(&s);
    stage_key(&s, '\r');
    assert_true(s.asked & APP_HOST);
    char **words = fleet_run_visit(app_fleet(s.a), app_host(s.a));
    assert_non_null(words);
    assert_true(strncmp(words[0], "node", 4) == 0);
    fleet_words_free(words);
}

/* 0 is not the blank of what was not measured, and the line ends at the moment that is shown. */
TEST_WITH(help_has_the_keys_of_its_past, NULL, close_fleet)
{
    open_fleet(80, 24);
    stage_key(&s, '?');
    assert_true(stage_sees(&s, "one sample back in time"));
    assert_true(stage_sees(&s, "the newest sample: back to now"));
    stage_key(&s, KEY_ESCAPE);
    stage_view(&s, "overview"); /* there the sheet for all views has them */
    stage_key(&s, '?');
    assert_false(stage_sees(&s, "one sample back in time"));
}

TEST_WITH(the_line_of_levels_is_of_what_was_measured, NULL, close_fleet)
{
    idle = true;
    open_fleet(120, 40);
    stage_command(&s, "filter node01");
    stage_look(&s);
    assert_true(stage_sees(&s, "cpu 0.0 % ▁▁▁▁"));
    stage_command(&s, "time-start"); /* nothing was there before */
    stage_look(&s);
    assert_true(stage_sees(&s, "cpu 0.0 % ▁") && !stage_sees(&s, "cpu 0.0 % ▁▁"));
    assert_true(stage_sees(&s, "node01: live, a sample of this moment"));
}

/* What was shown before is shown again at once, not the past under the title of now. */
TEST_WITH(the_end_of_time_is_the_newest_picture, NULL, close_fleet)
{
    open_fleet(120, 40);
    assert_true(stage_sees(&s, "Permission denied"));
    assert_true(stage_sees(&s, "─ Left back in time ─") && !stage_sees(&s, ") now"));
    stage_command(&s, "time-start");
    stage_look(&s);
    assert_true(stage_sees(&s, " at ") && !stage_sees(&s, "Permission denied"));
    assert_true(stage_sees(&s, "─ Left back in time  Right forward  ) now ─"));
    stage_command(&s, "time-end");
    stage_look(&s);
    assert_true(!stage_sees(&s, " at ") && stage_sees(&s, "Permission denied"));
}

TEST_WITH(names_are_never_printed_raw, NULL, close_fleet)
{
    open_fleet(120, 40);
    assert_null(strchr(s.screen, '\x1b'));
    assert_true(stage_sees(&s, "?[31mn02"));
}

int main(void)
{
    return golden_end(tests_run(NULL, NULL));
}
