/* How often the folder of a job is read again. When the next reading is due, the kernel's timer
 * says; the clock by which rooftop knows how long nothing has changed is the test's. */
#include "cli/run/dashboard_job.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>

#include "base/env.h"
#include "support/temp_folder.h"
#include "support/test.h"

enum { LONG = 60000 /* ms */ };

static uint64_t now_ns;
static uint64_t tell_now(void *ctx)
{
    (void)ctx;
    return now_ns;
}

static void put_rank(const char *end)
{
    char text[300];
    snprintf(text, sizeof text,
             "{\"schema\":\"rooftop.rank/1\",\"state\":\"running\",\"rank\":0,\"ranks\":1,"
             "\"host\":\"node1\",\"start_us\":1700000000000000,\"end_us\":%s}",
             end);
    temp_folder_put(".rank-00000.aaaaaa/summary.json", text);
}

static struct subject *open_folder(void)
{
    const char *path = temp_folder;
    struct error err = ERROR_INIT;
    struct opened made = {0};
    int rc = 1;
    struct opening *o = opening_start(&path, 1, NULL, &err);
    assert_non_null(o);
    assert_true(opening_wait(o, LONG));
    assert_true(opening_take(o, &made, &rc, &err));
    assert_int_equal(rc, 0);
    opening_free(o);
    return made.subject;
}

/* The timer that the descriptor waits for: proc_pid_fdinfo(5). */
static int find_timer(const struct dashboard_job *j)
{
    char path[64], line[256];
    int timer = -1;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", dashboard_job_fd(j));
    FILE *f = fopen(path, "re");
    while (f && timer < 0 && fgets(line, sizeof line, f))
        sscanf(line, "tfd: %d", &timer);
    if (f)
        fclose(f);
    return timer;
}

static void wait_for(const struct dashboard_job *j)
{
    struct pollfd fd = {.fd = dashboard_job_fd(j), .events = POLLIN};
    assert_int_equal(poll(&fd, 1, LONG), 1);
}

/* Reads the folder now. Returns the seconds until the next reading is due. */
static double read_again(struct dashboard_job *j, struct screen *s, int timer)
{
    const struct itimerspec at_once = {.it_value = {.tv_nsec = 1}};
    struct itimerspec next;
    assert_int_equal(timerfd_settime(timer, 0, &at_once, NULL), 0);
    wait_for(j);
    assert_false(dashboard_job_poll(j, s));
    do
        wait_for(j);
    while (!dashboard_job_poll(j, s));
    assert_int_equal(timerfd_gettime(timer, &next), 0);
    return (double)next.it_value.tv_sec + (double)next.it_value.tv_nsec / 1e9;
}

TEST_WITH(a_folder_in_which_nothing_changes_is_read_less_often, temp_folder_make,
          temp_folder_remove)
{
    now_ns = UINT64_C(1000000000000);
    env_set_clock(tell_now, NULL);
    put_rank("1700000001000000");
    struct screen s = {.app = app_new(1, false, NULL), .opened = open_folder()};
    app_set_opened(s.app, s.opened);
    struct dashboard_job *j = dashboard_job_new(&s);
    assert_non_null(j);
    const int timer = find_timer(j);
    assert_true(read_again(j, &s, timer) <= 3);
    now_ns += UINT64_C(800) * 1000000000;
    const double seldom = read_again(j, &s, timer);
    assert_true(seldom > 3 && seldom <= 40);
    now_ns += UINT64_C(1000000) * 1000000000;
    assert_true(read_again(j, &s, timer) <= 60);
    put_rank("1700000002000000");
    assert_true(read_again(j, &s, timer) <= 3);
    dashboard_job_free(j);
    app_free(s.app);
    opening_subject_free(s.opened);
    env_set_clock(NULL, NULL);
}

TEST_MAIN(NULL, NULL)
