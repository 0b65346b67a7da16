#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/fleet/fleet_ssh_impl.h"
#include "base/child.h"
#include "base/env.h"
#include "base/list.h"

enum {
    CHUNK = 64 << 10,
    CHUNKS = 4,             /* read at once, before other hosts have their turn */
    SECOND_BYTES = 8 << 20, /* most that a host may send in a second */
    PATIENCE_MS = 1000      /* for the child to end when asked */
};
#define MS UINT64_C(1000000)

int fleet_link_start(struct fleet_link *l, char *const words[], uint64_t now_ns)
{
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0)
        return -errno;
    if (pipe2(err, O_CLOEXEC) != 0) {
        const int code = errno;
        close(out[0]);
        close(out[1]);
        return -code;
    }
    const int rc = child_start(words, environ, out[1], err[1], &l->pid);
    close(out[1]);
    close(err[1]);
    if (rc != 0) {
        l->pid = 0;
        close(out[0]);
        close(err[0]);
        return rc;
    }
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(err[0], F_SETFL, O_NONBLOCK);
    l->out = out[0];
    l->err = err[0];
    l->over = l->killed = l->spoke = l->told_over = false;
    l->n = l->noise = l->bytes = l->ntold = 0;
    l->told[0] = l->refused[0] = '\0';
    l->came_ns = l->second_ns = now_ns;
    return 0;
}

void fleet_link_end(struct fleet_link *l, uint64_t now_ns, const char *why_fmt, ...)
{
    if (!l->pid || l->over)
        return;
    va_list args;
    va_start(args, why_fmt);
    vsnprintf(l->refused, sizeof l->refused, why_fmt, args);
    va_end(args);
    fleet_link_read_errors(l);
    close(l->out);
    close(l->err);
    l->out = l->err = -1;
    l->over = true;
    l->due_ns = now_ns + PATIENCE_MS * MS;
    if (l->refused[0])
        kill(-l->pid, SIGTERM);
}

bool fleet_link_ended(struct fleet_link *l, uint64_t now_ns, int *status)
{
    const pid_t ended = waitpid(l->pid, status, WNOHANG);
    if (ended == l->pid || (ended < 0 && errno != EINTR)) {
        if (ended < 0)
            *status = 0;
        if (!l->srun)
            kill(-l->pid, SIGKILL); /* what it left in its group */
        l->pid = 0;
        return true;
    }
    if (now_ns >= l->due_ns && !l->killed) {
        kill(l->srun ? l->pid : -l->pid, SIGKILL);
        l->killed = true;
    }
    return false;
}

/* --- standard error --- */

static void take_told_byte(struct fleet_link *l, char c)
{
    if (c == '\n' || c == '\r') {
        l->told_over = l->ntold > 0;
        return;
    }
    if (l->told_over) {
        l->ntold = 0;
        l->told_over = false;
    }
    if (l->ntold + 1 < sizeof l->told)
        l->told[l->ntold++] = c;
    l->told[l->ntold] = '\0';
}

void fleet_link_read_errors(struct fleet_link *l)
{
    char text[4096];
    for (int i = 0; i < CHUNKS && l->err >= 0; i++) {
        const ssize_t n = read(l->err, text, sizeof text);
        if (n <= 0)
            return;
        for (ssize_t k = 0; k < n; k++)
            take_told_byte(l, text[k]);
    }
}

/* --- standard output --- */

/* A line that is no snapshot: what a login script prints is passed over before the first sample. */
static void refuse_fleet_line(struct fleet_link *l, const char *line, size_t n,
                              const struct error *err, uint64_t now_ns)
{
    l->noise += n + 1;
    if (!l->spoke && n > 0 && line[0] != '{' && l->noise <= FLEET_NOISE_MAX)
        return;
    if (line[0] == '{')
        fleet_link_end(l, now_ns, "what it prints is no snapshot of rooftop: %.120s", err->why);
    else
        fleet_link_end(l, now_ns, "what it prints is no snapshot of rooftop: %.*s",
                       n < 60 ? (int)n : 60, line);
}

/* How long a sample was on its way, beyond what the quickest one was. Two clocks differ, and may
 * run apart a little; if the host's was set back, all begins anew. */
static double find_delay(struct fleet_link *l, const struct fleet_sample *s, uint64_t now_ns)
{
    static const double drift = 2e-4; /* seconds a second: more than of clocks that nobody sets */
    const double ahead = (double)now_ns / 1e9 - s->host_s, step = s->host_s - l->host_s;
    const bool goes_on = l->spoke && step > s->interval_s / 2; /* false where one is not known */
    l->host_s = s->host_s;
    l->ahead_s = goes_on ? fmin(l->ahead_s + drift * step, ahead) : ahead;
    return ahead - l->ahead_s;
}

static void take_fleet_line(struct fleet_link *l, struct fleet *f, const char *name,
                            const char *line, size_t n, uint64_t now_ns)
{
    struct error err = ERROR_INIT;
    struct fleet_sample s;
    if (n == 0 && !l->spoke)
        return;
    fleet_sample_begin(&s, env_wall_ns());
    if (n == 0 || line[0] != '{' || fleet_read_snapshot(line, n, name, &s, &err) != 0) {
        refuse_fleet_line(l, line, n, &err, now_ns);
        return;
    }
    const double delay = find_delay(l, &s, now_ns);
    l->came_ns = now_ns;
    l->spoke = true;
    l->fails = 0;
    fleet_take_sample(f, l->host, &s, now_ns);
    if (delay > l->late_s)
        fleet_set_state(f, l->host, FLEET_LATE,
                        "its samples come %.1f s late: the connection is slow", delay);
}

/* Cuts what came into lines. */
static void take_fleet_lines(struct fleet_link *l, struct fleet *f, const char *name, size_t from,
                             uint64_t now_ns)
{
    size_t begin = 0;
    for (char *end; !l->over && (end = memchr(l->line + from, '\n', l->n - from)); from = begin) {
        const size_t at = (size_t)(end - l->line);
        take_fleet_line(l, f, name, l->line + begin, at - begin, now_ns);
        begin = at + 1;
    }
    if (l->over)
        return;
    memmove(l->line, l->line + begin, l->n - begin);
    l->n -= begin;
    if (l->n > FLEET_LINE_MAX)
        fleet_link_end(l, now_ns, "a line of what it prints is longer than %d KiB",
                       FLEET_LINE_MAX >> 10);
}

static bool is_too_much(struct fleet_link *l, size_t n, uint64_t now_ns)
{
    if (now_ns - l->second_ns > 1000 * MS) {
        l->second_ns = now_ns;
        l->bytes = 0;
    }
    l->bytes += n;
    return l->bytes > SECOND_BYTES;
}

void fleet_link_read(struct fleet_link *l, struct fleet *f, const char *name, uint64_t now_ns)
{
    for (int i = 0; i < CHUNKS && !l->over; i++) {
        LIST_FIT(l->line, l->n + CHUNK, l->cap);
        const ssize_t n = read(l->out, l->line + l->n, CHUNK);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n <= 0) {
            fleet_link_end(l, now_ns, "%s", "");
            return;
        }
        const size_t from = l->n;
        l->n += (size_t)n;
        if (is_too_much(l, (size_t)n, now_ns))
            fleet_link_end(l, now_ns, "it sends more than %d MiB in a second", SECOND_BYTES >> 20);
        else
            take_fleet_lines(l, f, name, from, now_ns);
    }
}
