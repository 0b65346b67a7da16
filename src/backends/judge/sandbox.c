/* The parent's side of a sandbox: it starts it, holds the clock, and says what ended it. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backends/judge/judge_impl.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/linkage.h"
#include "base/self.h"
#include "base/watch.h"
#include "base/words.h"
#include "engine/syscalls/calls.h"

/* As in `rooftop compare bench`: the environment's size moves the stack. */
enum { LAYOUT_BYTES = 4096, START_MS = 20000, END_MS = 1000, VARIABLES = 12 };

struct sandbox {
    struct sandbox_memory *memory;
    pid_t pid;
    int fd; /* what it says */
    int words,
        unread; /* what it is told; open here, too, so that no write to it ends this process */
    const struct sandbox_calls *calls;
    size_t sent;                  /* of these */
    bool written;                 /* as it said at last */
    struct sandbox_report report; /* of its end; zeroed: it said nothing */
    bool held;
    uint32_t serial;
    struct sandbox_counter *counter; /* NULL: nothing is counted */
};

/* An environment as all programs have it: nothing in it says where the code runs. */
struct environment {
    char colors[LAYOUT_BYTES + 96];
    char home[320], user[64];
    char *list[VARIABLES];
    size_t n;
};

static bool environment_has(const struct environment *e, const char *name, size_t n)
{
    for (size_t i = 0; i < e->n; i++)
        if (strncmp(e->list[i], name, n) == 0 && e->list[i][n] == '=')
            return true;
    return false;
}

/* What `dircolors` prints, with some of its endings. */
static void add_colors(struct environment *e)
{
    static const char *const endings[] = {"tar", "tgz", "zip", "jpg", "png", "gif", "mp4", "wav"};
    enum { EACH = sizeof "*.tar=01;31:" - 1 };
    uint16_t size;
    env_random(&size, sizeof size);
    size %= LAYOUT_BYTES;
    int n = snprintf(e->colors, sizeof e->colors,
                     "LS_COLORS=rs=0:di=01;34:ln=01;36:*.%.*s=01;31:", 1 + size % EACH,
                     "configuration");
    for (size_t i = 0; i < size / EACH; i++)
        n += snprintf(e->colors + n, sizeof e->colors - (size_t)n,
                      "*.%s=01;31:", endings[i % (sizeof endings / sizeof *endings)]);
    e->list[e->n++] = e->colors;
}

static void add_if_missing(struct environment *e, char *variable)
{
    if (!environment_has(e, variable, strcspn(variable, "=")))
        e->list[e->n++] = variable;
}

/* What each program finds stands there also where the judge itself was given an empty one. */
static void add_missing_variables(struct environment *e)
{
    struct passwd entry, *own = NULL;
    char text[4096];
    add_if_missing(e, (char *)"PATH=/usr/local/bin:/usr/bin:/bin");
    if (environment_has(e, "HOME", 4) && environment_has(e, "USER", 4))
        return;
    if (!LINKAGE_ALONE) /* one that is linked in would load services of another version */
        getpwuid_r(getuid(), &entry, text, sizeof text, &own);
    snprintf(e->home, sizeof e->home, "HOME=%.300s", own ? own->pw_dir : "/root");
    snprintf(e->user, sizeof e->user, "USER=%.50s", own ? own->pw_name : "root");
    add_if_missing(e, e->home);
    add_if_missing(e, e->user);
}

static void fill_sandbox_environment(struct environment *e)
{
    static const char usual[] = "PATH HOME USER LOGNAME SHELL TERM PWD LANG";
    *e = (struct environment){.n = 0};
    e->list[e->n++] = (char *)"LC_ALL=C";
    add_colors(e);
    for (char **v = environ; v && *v; v++) {
        char name[16] = "";
        const size_t n = strcspn(*v, "=");
        memcpy(name, *v, n < sizeof name ? n : 0);
        if (words_have(usual, name) && (*v)[n] == '=' && !environment_has(e, name, n))
            e->list[e->n++] = *v;
    }
    add_missing_variables(e);
}

static int spawn_sandbox(struct sandbox *c, int socket, const char *object, struct error *err)
{
    static struct environment env;
    char *argv[] = {(char *)self_program(), (char *)"judge", (char *)"--no-config",
                    (char *)"--cell",       (char *)object,  NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none, usual;
    fill_sandbox_environment(&env);
    sigemptyset(&none);
    sigfillset(&usual);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, socket, SANDBOX_SOCKET);
    posix_spawn_file_actions_adddup2(&files, c->memory->fd, SANDBOX_MEMORY);
    posix_spawn_file_actions_adddup2(&files, c->unread, SANDBOX_WORDS);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &usual);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int rc = posix_spawn(&c->pid, argv[0], &files, &attr, argv, env.list);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return rc == 0 ? 0
                   : error_set(err, ERROR_INTERNAL, rc, NULL, "a process for the calls",
                               "it cannot be started: %s", strerror(rc));
}

/* --- what ended it --- */

/* rdtsc and rdtscp, behind a prefix that changes nothing. */
static bool reads_clock(const struct sandbox_report *t)
{
    const uint8_t *at = t->seen;
    if (*at == 0x66 || *at == 0xf2 || *at == 0xf3 || (*at & 0xf0) == 0x40)
        at++;
    return (at[0] == 0x0f && at[1] == 0x31) || (at[0] == 0x0f && at[1] == 0x01 && at[2] == 0xf9);
}

static int refuse_touch(const struct sandbox *c, struct judge_refusal *refused)
{
    const struct sandbox_memory *m = c->memory;
    const struct sandbox_report *t = &c->report;
    const struct sandbox_layout *l = &m->layout;
    const uint64_t base = t->base;
    if (t->address >= t->data && t->address < t->data + t->data_size)
        return judge_refuse(refused, GUARD_STATE, "it writes static data");
    if (t->address < base || t->address >= base + l->bytes)
        return judge_refuse(refused, GUARD_CRASH, "it touches memory that is not there (%#llx)",
                            (unsigned long long)t->address);
    if (t->address < base + l->start)
        return judge_refuse(refused, GUARD_MEMORY, "it touches memory that it was not given");
    const bool written = t->address >= base + l->part[1].begin;
    const uint64_t in_slot = (t->address - base - l->part[written].begin) % l->part[written].slot;
    for (size_t i = 0; i < l->nbuffers; i++) {
        const char *name = m->harness.arguments[i].name;
        if (l->buffer[i].bytes == 0 || l->buffer[i].written != written)
            continue;
        if (in_slot >= l->buffer[i].run && in_slot < l->buffer[i].run + l->buffer[i].pages)
            return written
                       ? judge_refuse(refused, GUARD_AHEAD, "it touches %s of another call", name)
                       : judge_refuse(refused, GUARD_MEMORY, "it writes its input %s", name);
        if (in_slot < l->buffer[i].run)
            return judge_refuse(refused, GUARD_MEMORY, "it touches memory before %s", name);
        if (in_slot < l->buffer[i].run + l->buffer[i].pages + l->page)
            return judge_refuse(refused, GUARD_MEMORY, "it touches memory behind the end of %s",
                                name);
    }
    return judge_refuse(refused, GUARD_MEMORY, "it touches memory beside its arguments");
}

static int refuse_call(const struct sandbox_report *t, struct judge_refusal *refused)
{
#if defined(__x86_64__)
    const char *name = syscall_name(SYSCALL_X86_64, (uint32_t)t->number);
#else
    const char *name = syscall_name(SYSCALL_ARM64, (uint32_t)t->number);
#endif
    if (!name)
        return judge_refuse(refused, GUARD_CALLS, "it makes system call %d", t->number);
    if (words_have("clock_gettime clock_getres gettimeofday time times getrusage", name))
        return judge_refuse(refused, GUARD_CLOCK, "it asks for the time: %s", name);
    return judge_refuse(refused, GUARD_CALLS, "it makes the system call %s", name);
}

/* waitpid, which adds the CPU time of what has ended. */
static pid_t wait_for_sandbox(struct sandbox *c, int *status, int options)
{
    struct rusage used;
    const pid_t ended = wait4(c->pid, status, options, &used);
    if (ended > 0)
        c->memory->cpu_ns +=
            ((uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec) *
                UINT64_C(1000000000) +
            ((uint64_t)used.ru_utime.tv_usec + (uint64_t)used.ru_stime.tv_usec) * 1000;
    return ended;
}

/* Waits for the end of a process that has no more to say. It may have closed the socket, or said
 * an empty word, and go on: then it is ended. Returns whether it ended itself: an end that has
 * begun keeps its status, however long a busy machine takes for it. */
static bool wait_for_end(struct sandbox *c, int *status)
{
    const uint64_t end = env_now_ns() + END_MS * UINT64_C(1000000);
    const struct timespec a_moment = {.tv_nsec = 1000000};
    pid_t ended = 0;
    while (ended == 0 && env_now_ns() < end) {
        ended = wait_for_sandbox(c, status, WNOHANG);
        if (ended == 0)
            nanosleep(&a_moment, NULL);
    }
    if (ended == 0) {
        kill(c->pid, SIGKILL);
        while (wait_for_sandbox(c, status, 0) < 0 && errno == EINTR)
            ;
    }
    c->pid = 0;
    return ended != 0 || !WIFSIGNALED(*status) || WTERMSIG(*status) != SIGKILL;
}

static int refuse_end(struct sandbox *c, struct judge_refusal *refused)
{
    const struct sandbox_report *t = &c->report;
    int status = 0;
    if (!wait_for_end(c, &status))
        return judge_refuse(refused, GUARD_ANSWER, "it breaks off what it has to say, and goes on");
    switch ((enum sandbox_end)t->end) {
    case SANDBOX_NO_OBJECT:
        return judge_refuse(refused, GUARD_BUILD, "it cannot be loaded: %.200s", t->text);
    case SANDBOX_NO_FUNCTION:
        return judge_refuse(refused, GUARD_BUILD, "it has no function %.100s",
                            c->memory->harness.function);
    case SANDBOX_TLS:
        return judge_refuse(refused, GUARD_STATE, "it has thread-local data%s%.100s",
                            *t->text ? ": " : "", t->text);
    case SANDBOX_SYSCALL:
        return refuse_call(t, refused);
    case SANDBOX_STATE:
        return judge_refuse(refused, GUARD_STATE, "%.200s", t->text);
    case SANDBOX_CLOCK:
        return judge_refuse(refused, GUARD_CLOCK, "it looks where the kernel shows the time");
    case SANDBOX_SIGNAL:
        break;
    default:
        return judge_refuse(refused, WIFEXITED(status) ? GUARD_ANSWER : GUARD_CRASH,
                            WIFEXITED(status) ? "it ends the process with status %d"
                                              : "it ends by signal %d",
                            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
    if (t->number == SIGSEGV && reads_clock(t))
        return judge_refuse(refused, GUARD_CLOCK, "it reads the time stamp counter");
    if (t->number == SIGSEGV || t->number == SIGBUS)
        return refuse_touch(c, refused);
    return judge_refuse(refused, GUARD_CRASH, "it ends by signal %d (%s)", t->number,
                        strsignal(t->number));
}

/* --- words --- */

/* Tells it as many of its calls as the pipe takes now. */
static void tell_calls(struct sandbox *c)
{
    struct sandbox_word w[128];
    const uint32_t how = c->calls && c->calls->clean ? SANDBOX_ALWAYS : 0;
    while (c->calls && c->sent < c->calls->n) {
        size_t n = 0;
        for (; n < sizeof w / sizeof *w && c->sent + n < c->calls->n; n++)
            w[n] = (struct sandbox_word){
                .serial = c->serial,
                .what = c->sent + n + 1 == c->calls->n ? SANDBOX_LAST : SANDBOX_CALL,
                .n = c->calls->slots[c->sent + n],
                .how = how | c->calls->samples[c->sent + n] << SANDBOX_SAMPLE_SHIFT,
            };
        const ssize_t said = write(c->words, w, n * sizeof *w);
        if (said <= 0)
            return;
        c->sent += (size_t)said / sizeof *w; /* pages of a pipe hold whole words */
    }
}

/* Takes one of its messages: a word, or the report of its end. */
static int take_message(struct sandbox *c, uint32_t what, struct judge_refusal *refused)
{
    union {
        struct sandbox_word word;
        struct sandbox_report report;
    } m;
    const ssize_t n = recv(c->fd, &m, sizeof m, 0);
    if (n == (ssize_t)sizeof m.report && m.report.what == SANDBOX_END) {
        m.report.text[sizeof m.report.text - 1] = '\0';
        c->report = m.report;
        return refuse_end(c, refused);
    }
    if (n <= 0)
        return refuse_end(c, refused);
    if (n != (ssize_t)sizeof m.word || m.word.what != what || m.word.serial != c->serial)
        return judge_refuse(refused, GUARD_ANSWER, "it says that calls have ended, itself");
    c->written = m.word.n != 0;
    return 0;
}

/* Waits for the answer to what it was told. 0, 1 with *refused, or -errno with err: it was given
 * up. */
static int take_answer(struct sandbox *c, uint32_t what, int limit_ms,
                       struct judge_refusal *refused, struct error *err)
{
    const uint64_t end = env_now_ns() + (uint64_t)limit_ms * 1000000u;
    for (;;) {
        const bool more = c->calls && c->sent < c->calls->n;
        struct pollfd p[] = {{.fd = c->fd, .events = POLLIN},
                             {.fd = more ? c->words : -1, .events = POLLOUT}};
        const uint64_t now = env_now_ns();
        const int rc = poll(p, 2, now < end ? (int)((end - now) / 1000000u) : 0);
        const int given_up = watch_check("the calls", err);
        if (given_up != 0)
            return given_up;
        if (rc < 0 && errno == EINTR)
            continue;
        if (rc <= 0)
            return judge_refuse(refused, GUARD_TIME, "a call has not ended after %d s",
                                limit_ms / 1000);
        if (p[0].revents)
            return take_message(c, what, refused);
        if (p[1].revents & POLLOUT)
            tell_calls(c);
    }
}

static void new_serial(struct sandbox *c)
{
    env_random(&c->serial, sizeof c->serial); /* so that only who was asked can answer */
}

/* Once it has begun it is closed to all who are not root, its parent included. Where this does not
 * work once, it is not tried again. */
static void count_sandbox(struct sandbox *c)
{
    struct sandbox_memory *m = c->memory;
    if (m->no_counter)
        return;
    c->counter = sandbox_counter_open(perf_sys_current(), c->pid, m->not_counted);
    m->no_counter = !c->counter;
}

static double take_count(const struct sandbox *c)
{
    return c->counter ? sandbox_counter_take(c->counter, c->memory->not_counted) : NAN;
}

/* Both ways to it: what it says, and what it is told. */
static int open_ways(struct sandbox *c, int *theirs, struct error *err)
{
    int pair[2] = {-1, -1}, words[2] = {-1, -1};
    const bool open = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0 &&
                      pipe2(words, O_CLOEXEC) == 0 && fcntl(words[1], F_SETFL, O_NONBLOCK) == 0;
    const int code = errno;
    c->fd = pair[0];
    *theirs = pair[1];
    c->unread = words[0];
    c->words = words[1];
    return open ? 0
                : error_set(err, ERROR_INTERNAL, code, NULL, "a process for the calls",
                            "it cannot be spoken to");
}

static void end_sandbox(struct sandbox *c)
{
    int status;
    if (!c)
        return;
    if (c->pid > 0) {
        kill(c->pid, SIGKILL);
        while (wait_for_sandbox(c, &status, 0) < 0 && errno == EINTR)
            ;
    }
    sandbox_counter_close(c->counter);
    const int ways[] = {c->fd, c->words, c->unread};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i] >= 0)
            close(ways[i]);
    free(c);
}

static int start_sandbox(struct sandbox **out, struct sandbox_memory *m, size_t slots,
                         const char *object, struct judge_refusal *refused, struct error *err)
{
    struct sandbox *c = xcalloc(1, sizeof *c);
    int theirs = -1;
    *out = NULL;
    *sandbox_start_of(m) =
        (struct sandbox_start){.harness = m->harness, .slots = m->slots, .mapped = slots};
    c->memory = m;
    int rc = open_ways(c, &theirs, err);
    if (rc == 0)
        rc = spawn_sandbox(c, theirs, object, err);
    if (theirs >= 0)
        close(theirs);
    if (rc == 0) {
        count_sandbox(c);
        new_serial(c);
        const struct sandbox_word begin = {.serial = c->serial, .what = SANDBOX_BEGIN};
        if (write(c->words, &begin, sizeof begin) < 0)
            c->serial = 0; /* its end is seen now */
        rc = take_answer(c, SANDBOX_READY, START_MS, refused, err);
    }
    if (rc != 0) {
        end_sandbox(c);
        return rc;
    }
    *out = c;
    return 0;
}

static int hold_sandbox(struct sandbox *c, struct judge_refusal *refused, struct error *err)
{
    siginfo_t now = {.si_code = 0};
    int rc;
    kill(c->pid, SIGSTOP);
    do
        rc = waitid(P_PID, (id_t)c->pid, &now, WSTOPPED | WEXITED | WNOWAIT);
    while (rc < 0 && errno == EINTR);
    c->held = now.si_code == CLD_STOPPED;
    const int given_up = watch_check("the calls", err);
    if (given_up != 0 || c->held)
        return given_up;
    return refuse_end(c, refused);
}

/* Whether the process has stopped; ended: it has ended, or cannot be asked. */
static bool has_stopped(const struct sandbox *c, bool *ended)
{
    siginfo_t now = {.si_code = 0};
    const int rc = waitid(P_PID, (id_t)c->pid, &now, WSTOPPED | WEXITED | WNOWAIT | WNOHANG);
    *ended = (rc < 0 && errno != EINTR) || (now.si_pid != 0 && now.si_code != CLD_STOPPED);
    return now.si_code == CLD_STOPPED;
}

/*
 * After its word the process stops itself. Until then the clock runs, because code that says it has
 * ended may go on. Returns 0, 1 with *refused, or -errno with err.
 */
static int wait_for_stop(struct sandbox *c, struct judge_refusal *refused, struct error *err)
{
    const struct timespec a_moment = {.tv_nsec = 20000};
    const uint64_t end = env_now_ns() + SANDBOX_LIMIT_MS * UINT64_C(1000000);
    struct sandbox_word w;
    bool ended = false;
    while (!has_stopped(c, &ended)) {
        const int given_up = watch_check("the calls", err);
        if (given_up != 0)
            return given_up;
        if (ended)
            return refuse_end(c, refused);
        if (env_now_ns() > end)
            return judge_refuse(refused, GUARD_ANSWER,
                                "it says that the calls have ended, and goes on");
        nanosleep(&a_moment, NULL);
    }
    c->held = true;
    if (recv(c->fd, &w, sizeof w, MSG_DONTWAIT) >= 0)
        return judge_refuse(refused, GUARD_ANSWER, "it says twice that the calls have ended");
    return 0;
}

/* CPU time of the process so far, ns. A sandbox is one thread that can neither sleep nor ask others
 * to work, so this is what its calls take, whatever else the machine does. 0: not known. */
static uint64_t cpu_time_of(const struct sandbox *c)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(c->pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static int call_sandbox(struct sandbox *c, const struct sandbox_calls *calls,
                        struct sandbox_cost *took, struct judge_refusal *refused, struct error *err)
{
    int rc = c->held ? 0 : hold_sandbox(c, refused, err);
    if (rc != 0)
        return rc;
    if (calls->cold)
        sandbox_cool(c->memory, calls);
    (void)take_count(c); /* what it executed before */
    new_serial(c);
    c->calls = calls;
    c->sent = 0;
    tell_calls(c); /* the words wait for it, so that it wakes once */
    const uint64_t began = env_now_ns(), before = cpu_time_of(c);
    kill(c->pid, SIGCONT);
    c->held = false;
    rc = take_answer(c, SANDBOX_GO, SANDBOX_LIMIT_MS, refused, err);
    c->calls = NULL;
    if (rc == 0)
        rc = wait_for_stop(c, refused, err);
    took->ns = took->elapsed_ns = env_now_ns() - began;
    const uint64_t after = rc == 0 ? cpu_time_of(c) : 0;
    if (after > before && before > 0)
        took->ns = after - before;
    took->instructions = rc == 0 ? take_count(c) : NAN;
    /* the first call finds its own code not mapped */
    took->written = rc == 0 && c->written && calls->n > 2;
    return rc;
}

const struct sandbox_ops sandboxes = {
    .start = start_sandbox,
    .hold = hold_sandbox,
    .call = call_sandbox,
    .end = end_sandbox,
    .child = sandbox_run,
    .run_program = run_judged_program,
    .instruction = sandbox_instruction,
};
