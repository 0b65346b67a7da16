#include "cli/run/dashboard_job.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/hash.h"

#define AGAIN_NS UINT64_C(3000000000)
/* A killed rank leaves a folder that looks like one of a rank that runs: where nothing has changed
 * for long, the folder is read less and less often, but at least once in this time. */
#define SELDOM_NS UINT64_C(60000000000)
enum {
    SHARE = 20,     /* a reading takes at most one of so many parts of the time between two */
    UNCHANGED = 20, /* that time is one of so many parts of the time without a change */
};

struct dashboard_job {
    int fd; /* readable when one of the next two is */
    int timer;
    struct opening *opening; /* NULL: nothing is being read */
    uint64_t began_ns;
    uint64_t summaries; /* hash of what the last reading found */
    uint64_t changed_ns;
};

static void watch_job_fd(struct dashboard_job *j, int fd)
{
    struct epoll_event ev = {.events = EPOLLIN};
    epoll_ctl(j->fd, EPOLL_CTL_ADD, fd, &ev);
}

static void set_job_timer(struct dashboard_job *j, uint64_t ns)
{
    const struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)}};
    timerfd_settime(j->timer, 0, &when, NULL);
}

/* Each rank that lives writes its summary again and again, with the time. */
static void note_job_change(struct dashboard_job *j, const struct job_folder *f)
{
    uint64_t now = hash_number(f->unfinished, f->n);
    for (uint32_t i = 0; i < f->n; i++)
        now = hash_number(now, f->ranks[i].s.start_us + f->ranks[i].s.end_us);
    if (now != j->summaries)
        j->changed_ns = env_now_ns();
    j->summaries = now;
}

static uint64_t find_job_pause(const struct dashboard_job *j)
{
    const uint64_t now = env_now_ns(), share = (now - j->began_ns) * SHARE;
    uint64_t pause = (now - j->changed_ns) / UNCHANGED;
    pause = pause < SELDOM_NS ? pause : SELDOM_NS;
    pause = pause > AGAIN_NS ? pause : AGAIN_NS;
    return pause > share ? pause : share;
}

struct dashboard_job *dashboard_job_new(const struct screen *s)
{
    if (!s->opened || !s->opened->job || s->opened->job->unfinished == 0)
        return NULL;
    struct dashboard_job *j = xcalloc(1, sizeof *j);
    j->fd = epoll_create1(EPOLL_CLOEXEC);
    j->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    watch_job_fd(j, j->timer);
    set_job_timer(j, AGAIN_NS);
    note_job_change(j, s->opened->job);
    return j;
}

int dashboard_job_fd(const struct dashboard_job *j)
{
    return j->fd;
}

static void begin_job_reading(struct dashboard_job *j, const struct subject *opened)
{
    struct error ignored = ERROR_INIT;
    uint64_t times;
    if (read(j->timer, &times, sizeof times) != sizeof times)
        return;
    j->began_ns = env_now_ns();
    j->opening = opening_start(&opened->path, 1, NULL, &ignored);
    if (j->opening)
        watch_job_fd(j, opening_fd(j->opening));
    else
        set_job_timer(j, AGAIN_NS);
}

static void end_job_reading(struct dashboard_job *j)
{
    /* the opening thread may keep the descriptor open after it has ended */
    epoll_ctl(j->fd, EPOLL_CTL_DEL, opening_fd(j->opening), NULL);
    opening_free(j->opening);
    j->opening = NULL;
}

/* A folder that cannot be read now stays as it was shown. */
static bool take_job_reading(struct dashboard_job *j, struct screen *s)
{
    struct error ignored = ERROR_INIT;
    struct opened made = {0};
    int rc = 0;
    if (!opening_take(j->opening, &made, &rc, &ignored))
        return false;
    end_job_reading(j);
    const bool is_job = rc == 0 && made.subject && made.subject->job;
    if (is_job)
        note_job_change(j, made.subject->job);
    if (!is_job || made.subject->job->unfinished > 0)
        set_job_timer(j, find_job_pause(j));
    if (is_job)
        screen_replace_opened(s, made.subject);
    return is_job;
}

bool dashboard_job_poll(struct dashboard_job *j, struct screen *s)
{
    if (!j)
        return false;
    if (j->opening)
        return take_job_reading(j, s);
    begin_job_reading(j, s->opened);
    return false;
}

void dashboard_job_free(struct dashboard_job *j)
{
    if (!j)
        return;
    if (j->opening)
        end_job_reading(j);
    close(j->timer);
    close(j->fd);
    free(j);
}
