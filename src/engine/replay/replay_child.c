#include "engine/replay/replay_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/replay/lines.h"
#include "base/env.h"
#include "base/self.h"

enum {
    WORDS_MAX = 24 + REPLAY_VARIANTS_MAX,
    CHUNK = 1 << 16,  /* bytes of one read */
    AT_ONCE = 1 << 18 /* bytes read in one poll, so that the screen can be drawn in between */
};
#define SECOND  1000000000ull
#define GRACE   (2 * SECOND) /* between SIGTERM and SIGKILL; the child's own timeout comes first */
#define ANY_PID 100000000ull /* ns: how often we check where the kernel has no pidfd */

struct replay_child {
    struct replay_run run;
    pid_t pid; /* 0: it was reaped */
    int epoll, timer, pidfd;
    struct lines out, err;
    double timeout_s;
    enum replay_end end; /* why we ended it */
    uint64_t heard_ns;   /* time of its last output */
    uint64_t kill_ns;    /* when to send SIGKILL; 0: it was not asked to end */
    bool killed;
};

/* --- starting --- */

struct child_words {
    char *word[WORDS_MAX];
    int n;
    char iterations[24], warmup[24], timeout[32], agent[24];
    char path[REPLAY_VARIANTS_MAX][512];
};

static void add_child_word(struct child_words *w, const char *word)
{
    if (w->n < WORDS_MAX - 1)
        w->word[w->n++] = (char *)word; /* only read */
    w->word[w->n] = NULL;
}

static void add_option(struct child_words *w, const char *name, const char *value)
{
    add_child_word(w, name);
    add_child_word(w, value);
}

static void add_number_option(struct child_words *w, const char *name, char text[24],
                              uint64_t value)
{
    snprintf(text, 24, "%llu", (unsigned long long)value);
    add_option(w, name, text);
}

/* Adds the options that differ from the command line's defaults, and always the first two. */
static void add_launches(struct child_words *w, const struct replay_request *r)
{
    add_number_option(w, "--iterations", w->iterations, r->iterations);
    snprintf(w->timeout, sizeof w->timeout, "%g", r->timeout_s);
    add_option(w, "--timeout", w->timeout);
    if (r->warmup)
        add_number_option(w, "--warmup", w->warmup, r->warmup);
    if (!r->recopy)
        add_child_word(w, "--no-recopy");
    if (r->tolerance && strcmp(r->tolerance, "exact") != 0)
        add_option(w, "--tolerance", r->tolerance);
}

static void add_variants(struct child_words *w, const struct replay_request *r)
{
    for (size_t i = 0; i < r->nvariants && i < REPLAY_VARIANTS_MAX; i++) {
        const char *v = r->variants[i];
        snprintf(w->path[i], sizeof w->path[i], "%s%s", *v == '-' ? "./" : "", v);
        add_child_word(w, w->path[i]);
    }
}

/* Builds the command line; word[0] is reserved for the program. */
static void words_of(struct child_words *w, const struct replay_request *r)
{
    w->n = 0;
    add_child_word(w, "rooftop");
    add_child_word(w, "replay");
    add_child_word(w, replay_job_name(r->job));
    add_option(w, "--capture-dir", r->capture);
    if (r->agent)
        add_number_option(w, "--agent", w->agent, r->agent);
    if (r->job != REPLAY_RESERVE_CHECK)
        add_launches(w, r);
    if (r->job == REPLAY_FULL_VM && r->verify)
        add_child_word(w, "--verify");
    if (r->job == REPLAY_FULL_VM && r->hsaco && *r->hsaco)
        add_option(w, "--hsaco", r->hsaco);
    if (r->job == REPLAY_COMPARE)
        add_variants(w, r);
}

static void watch_fd(struct replay_child *c, int fd)
{
    struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};
    if (fd >= 0)
        epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &ev);
}

static void arm_child_timer(struct replay_child *c)
{
    uint64_t now = env_now_ns(), silence = (uint64_t)(c->timeout_s * 1e9) + GRACE;
    uint64_t at = c->kill_ns ? c->kill_ns : c->heard_ns + silence;
    uint64_t in = at > now ? at - now : 1;
    if ((c->pidfd < 0 || c->killed) && in > ANY_PID)
        in = ANY_PID;
    struct itimerspec t = {
        .it_value = {.tv_sec = (time_t)(in / SECOND), .tv_nsec = (long)(in % SECOND)}};
    timerfd_settime(c->timer, 0, &t, NULL);
}

int replay_child_start(struct replay_child **out, const struct replay_request *r, struct error *err)
{
    struct child_words w;
    struct replay_child *c = xcalloc(1, sizeof *c);
    *out = NULL;
    words_of(&w, r);
    add_child_word(&w, "--progress");
    int out_fd, err_fd, rc = self_start(w.word, &c->pid, &out_fd, &err_fd, err);
    if (rc != 0) {
        free(c);
        return rc;
    }
    fcntl(out_fd, F_SETFL, O_NONBLOCK);
    fcntl(err_fd, F_SETFL, O_NONBLOCK);
    lines_open(&c->out, out_fd, REPLAY_LINE_MAX);
    lines_open(&c->err, err_fd, REPLAY_TEXT_MAX);
    c->timeout_s = r->timeout_s;
    c->heard_ns = env_now_ns();
    replay_run_start(&c->run, r->job, c->heard_ns);
    c->epoll = epoll_create1(EPOLL_CLOEXEC);
    c->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
    watch_fd(c, out_fd);
    watch_fd(c, err_fd);
    watch_fd(c, c->timer);
    watch_fd(c, c->pidfd);
    arm_child_timer(c);
    *out = c;
    return 0;
}

int replay_child_fd(const struct replay_child *c)
{
    return c->epoll;
}

const struct replay_run *replay_child_run(const struct replay_child *c)
{
    return &c->run;
}

/* --- reading its output --- */

static void on_line(void *ctx, const char *line, size_t n)
{
    struct replay_child *c = ctx;
    replay_run_line(&c->run, line, n, env_now_ns());
}

static void on_message(void *ctx, const char *line, size_t n)
{
    struct replay_child *c = ctx;
    replay_run_said(&c->run, line, n);
}

/*
 * Reads lines; returns whether there was any output. A closed descriptor is not polled any more,
 * because it stays readable for ever.
 */
static bool listen_to(struct replay_child *c, struct lines *l, lines_fn *fn, size_t most)
{
    size_t before = l->bytes;
    if (l->fd < 0)
        return false;
    lines_read(l, most, fn, c);
    if (l->over)
        c->run.junk += l->over;
    l->over = 0;
    if (l->closed) {
        epoll_ctl(c->epoll, EPOLL_CTL_DEL, l->fd, NULL);
        close(l->fd);
        l->fd = -1;
    }
    return l->bytes != before;
}

static void send_signal(struct replay_child *c, int signo)
{
    if (c->pid > 0 && kill(-c->pid, signo) != 0)
        kill(c->pid, signo); /* it may not have its own group yet */
}

static void stop_child(struct replay_child *c, enum replay_end why)
{
    if (!c->pid)
        return;
    if (!c->kill_ns) {
        c->end = why;
        c->kill_ns = env_now_ns() + GRACE;
        c->run.state = REPLAY_STOPPING;
        send_signal(c, SIGTERM);
    } else {
        send_signal(c, SIGKILL);
        c->killed = true;
    }
    arm_child_timer(c);
}

void replay_child_cancel(struct replay_child *c)
{
    stop_child(c, REPLAY_END_CANCEL);
}

static void watch_time(struct replay_child *c)
{
    uint64_t now = env_now_ns(), silence = (uint64_t)(c->timeout_s * 1e9) + GRACE, n;
    ssize_t ignored = read(c->timer, &n, sizeof n);
    (void)ignored;
    if (c->kill_ns ? !c->killed && now >= c->kill_ns : now - c->heard_ns >= silence)
        stop_child(c, REPLAY_END_TIMEOUT);
    else if (!c->kill_ns && c->run.junk > REPLAY_JUNK_MAX)
        stop_child(c, REPLAY_END_JUNK);
    else
        arm_child_timer(c);
}

/* Reaps the child. What it wrote before counts; what it left running is killed. */
static void take_end(struct replay_child *c)
{
    int status = -1;
    send_signal(c, SIGKILL); /* before it is reaped: until then the group keeps its number */
    if (waitpid(c->pid, &status, 0) != c->pid)
        status = -1;
    c->pid = 0;
    while (c->out.fd >= 0 && listen_to(c, &c->out, on_line, AT_ONCE) &&
           c->run.junk <= REPLAY_JUNK_MAX)
        ;
    listen_to(c, &c->err, on_message, AT_ONCE);
    lines_rest(&c->out, on_line, c);
    lines_rest(&c->err, on_message, c);
    if (c->pidfd >= 0)
        epoll_ctl(c->epoll, EPOLL_CTL_DEL, c->pidfd, NULL);
    replay_run_end(&c->run, c->end, status, c->timeout_s, env_now_ns());
    timerfd_settime(c->timer, 0, &(struct itimerspec){0}, NULL);
}

bool replay_child_poll(struct replay_child *c)
{
    if (!c->pid)
        return false;
    bool heard = listen_to(c, &c->out, on_line, AT_ONCE);
    heard |= listen_to(c, &c->err, on_message, CHUNK);
    if (heard)
        c->heard_ns = env_now_ns();
    siginfo_t gone = {0};
    int rc = waitid(P_PID, (id_t)c->pid, &gone, WEXITED | WNOHANG | WNOWAIT);
    if (rc != 0 || gone.si_pid) {
        take_end(c);
        return true;
    }
    enum replay_state before = c->run.state;
    watch_time(c);
    return heard || c->run.state != before;
}

/* --- ending --- */

void replay_child_free(struct replay_child *c)
{
    if (!c)
        return;
    if (c->pid)
        self_end(c->pid, 0);
    lines_close(&c->out);
    lines_close(&c->err);
    int fds[] = {c->epoll, c->timer, c->pidfd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    replay_run_free(&c->run);
    free(c);
}
