#include "backends/fleet/fleet_ssh.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "backends/fleet/fleet_ssh_impl.h"
#include "base/arena.h"
#include "base/child.h"
#include "base/env.h"
#include "base/temporary.h"

enum {
    STARTS = 8, /* children that may be without a sample at the same time */
    EVENTS = 64,
    WAIT_MS = 100,  /* while a child is waited for */
    SILENCE_S = 10, /* without a sample, or 5 intervals: the connection is ended */
    SILENCE_MAX_S = 3600,
    CONNECT_S = 20, /* until the first sample */
    BACKOFF_MAX_S = 60,
    CONTROL_MAX = 60, /* of a control path ssh takes 104 bytes, 57 of them are its own */
};
#define SECOND UINT64_C(1000000000)

struct fleet_ssh {
    struct fleet_ssh_config config;
    char **names;
    struct fleet_link *links;
    size_t n;
    double silence_s;
    int poll_fd, control_fd;
    char *remote, control[96];
};

static struct fleet_ssh *hosts_of(struct fleet_source *self)
{
    return (struct fleet_ssh *)(void *)self;
}

/* --- opening --- */

/* The folder of the sockets of shared connections; without one each connection is its own. */
static void make_control_folder(struct fleet_ssh *s)
{
    const char *folder = env_get("XDG_RUNTIME_DIR");
    char beside[80];
    if (!folder || strlen(folder) + 32 > CONTROL_MAX)
        folder = "/tmp";
    snprintf(beside, sizeof beside, "%s/ssh", folder);
    s->control_fd = temporary_folder(beside, s->control, sizeof s->control);
    if (s->control_fd < 0)
        s->control[0] = '\0';
}

static int find_launcher(const struct fleet_ssh *s, struct error *err)
{
    char path[4096];
    char **words = fleet_command(&s->config, "x", NULL, false);
    const int code = child_look_up(words[0], path, sizeof path);
    if (code)
        error_set(err, ERROR_UNSUPPORTED, code,
                  s->config.slurm ? "it comes with Slurm" : "Debian: apt install openssh-client",
                  words[0], "%s", strerror(code));
    fleet_words_free(words);
    return -code;
}

/* How long a host may be silent. */
static int read_silence(struct fleet_ssh *s, struct error *err)
{
    const char *text = env_get("ROOFTOP_HOST_SILENCE");
    char *end = NULL;
    const double seconds = text && *text ? strtod(text, &end) : SILENCE_S;
    const double intervals = 5 * s->config.interval_s;
    if ((end && *end) || !(seconds >= 1 && seconds <= SILENCE_MAX_S))
        return error_set(err, ERROR_USAGE, EINVAL, "seconds, 1 to 3600: ROOFTOP_HOST_SILENCE=30",
                         "ROOFTOP_HOST_SILENCE", "'%.40s' is no number of seconds", text);
    s->silence_s = seconds > intervals ? seconds : intervals;
    return 0;
}

int fleet_ssh_open(struct fleet_source_of *out, const struct fleet_ssh_config *config,
                   struct error *err)
{
    struct fleet_ssh *s = xcalloc(1, sizeof *s);
    s->config = *config;
    s->n = config->n;
    s->poll_fd = s->control_fd = -1;
    s->config.remote = s->remote = xstrdup(config->remote ? config->remote : "rooftop");
    s->names = xcalloc(s->n + 1, sizeof *s->names);
    s->links = xcalloc(s->n + 1, sizeof *s->links);
    for (size_t i = 0; i < s->n; i++)
        s->names[i] = xstrdup(config->hosts[i]);
    s->config.hosts = s->names;
    *out = (struct fleet_source_of){&fleet_ssh_ops, (struct fleet_source *)(void *)s};
    int rc = read_silence(s, err);
    if (rc == 0)
        rc = find_launcher(s, err);
    s->poll_fd = rc == 0 ? epoll_create1(EPOLL_CLOEXEC) : -1;
    if (rc == 0 && s->poll_fd < 0)
        rc = error_set(err, ERROR_INTERNAL, errno, NULL, "watch the hosts", "%s", strerror(errno));
    if (rc != 0)
        fleet_ssh_ops.stop(out->self);
    else if (!config->slurm)
        make_control_folder(s);
    return rc;
}

static int start_fleet_hosts(struct fleet_source *self, struct fleet *f, struct error *err)
{
    struct fleet_ssh *s = hosts_of(self);
    for (size_t i = 0; i < s->n; i++) {
        const int host = fleet_add_host(f, s->names[i], s->config.interval_s, err);
        if (host < 0)
            return host;
        s->links[i] = (struct fleet_link){.host = host,
                                          .srun = s->config.slurm,
                                          .out = -1,
                                          .err = -1,
                                          .late_s = FLEET_LATE_AFTER * s->config.interval_s};
    }
    return 0;
}

/* --- one host --- */

static void watch_link_fd(const struct fleet_ssh *s, size_t i, bool errors)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = 2 * i + errors};
    epoll_ctl(s->poll_fd, EPOLL_CTL_ADD, errors ? s->links[i].err : s->links[i].out, &e);
}

static void wait_before_again(struct fleet_link *l, uint64_t now_ns)
{
    const unsigned doublings = l->fails < 6 ? l->fails : 6;
    uint64_t s = UINT64_C(1) << doublings;
    s = s < BACKOFF_MAX_S ? s : BACKOFF_MAX_S;
    l->due_ns = now_ns + s * SECOND;
    l->fails++;
}

static void begin_link(struct fleet_ssh *s, size_t i, struct fleet *f, uint64_t now_ns)
{
    struct fleet_link *l = &s->links[i];
    char **words = fleet_command(&s->config, s->names[i], s->control[0] ? s->control : NULL, false);
    const int rc = fleet_link_start(l, words, now_ns);
    if (rc != 0) {
        fleet_set_state(f, l->host, FLEET_LOST, "cannot start %.60s: %s", words[0], strerror(-rc));
        wait_before_again(l, now_ns);
    } else {
        watch_link_fd(s, i, false);
        watch_link_fd(s, i, true);
        if (l->fails == 0)
            fleet_set_state(f, l->host, FLEET_CONNECTING, "%s", "");
    }
    fleet_words_free(words);
}

/* Ends a child that has been silent for too long. */
static void end_silent_link(const struct fleet_ssh *s, struct fleet_link *l, uint64_t now_ns)
{
    const double first = s->config.interval_s * 2 + CONNECT_S;
    const double silent = (double)(now_ns - l->came_ns) / 1e9;
    if (!l->spoke && silent > first)
        fleet_link_end(l, now_ns, "%s%sno sample came in %.0f s", l->told, l->told[0] ? "; " : "",
                       first);
    else if (l->spoke && silent > s->silence_s)
        fleet_link_end(l, now_ns, "no sample for %.0f s: the connection was ended", s->silence_s);
}

/* Returns when the host needs to be looked at again. */
static uint64_t tend_link(struct fleet_ssh *s, size_t i, struct fleet *f, uint64_t now_ns,
                          size_t *starting)
{
    struct fleet_link *l = &s->links[i];
    int status;
    if (l->pid && !l->over)
        end_silent_link(s, l, now_ns);
    if (l->pid && l->over) {
        if (!fleet_link_ended(l, now_ns, &status))
            return now_ns + WAIT_MS * UINT64_C(1000000);
        fleet_link_tell_lost(l, f, status);
        wait_before_again(l, now_ns);
    }
    if (l->pid)
        return now_ns + SECOND;
    if (now_ns < l->due_ns)
        return l->due_ns;
    if (*starting >= STARTS)
        return now_ns + WAIT_MS * UINT64_C(1000000);
    begin_link(s, i, f, now_ns);
    ++*starting;
    return now_ns + SECOND;
}

/* --- all hosts --- */

static int find_fleet_fd(const struct fleet_source *self)
{
    return ((const struct fleet_ssh *)(const void *)self)->poll_fd;
}

/* Reads what has come of some hosts. Returns how many descriptors that were. */
static int read_some_links(struct fleet_ssh *s, struct fleet *f, uint64_t now_ns)
{
    struct epoll_event events[EVENTS];
    const int n = epoll_wait(s->poll_fd, events, EVENTS, 0);
    for (int k = 0; k < n; k++) {
        const size_t i = events[k].data.u64 / 2;
        struct fleet_link *l = &s->links[i];
        if (l->over || !l->pid)
            continue;
        if (events[k].data.u64 % 2 == 0) {
            fleet_link_read(l, f, s->names[i], now_ns);
        } else {
            fleet_link_read_errors(l);
            if (events[k].events & EPOLLHUP && !(events[k].events & EPOLLIN))
                epoll_ctl(s->poll_fd, EPOLL_CTL_DEL, l->err, NULL);
        }
    }
    return n;
}

/* Gives each host its turn (the kernel tells of those first that wait longest), so that after a
 * pause of rooftop no host counts as silent whose samples only wait to be read. */
static void read_links(struct fleet_ssh *s, struct fleet *f, uint64_t now_ns)
{
    int n = EVENTS;
    for (size_t seen = 0; n == EVENTS && seen < 2 * s->n; seen += EVENTS)
        n = read_some_links(s, f, now_ns);
}

static uint64_t poll_fleet_hosts(struct fleet_source *self, struct fleet *f, uint64_t now_ns)
{
    struct fleet_ssh *s = hosts_of(self);
    uint64_t next = UINT64_MAX;
    size_t starting = 0;
    read_links(s, f, now_ns);
    for (size_t i = 0; i < s->n; i++)
        starting += s->links[i].pid && !s->links[i].over && !s->links[i].spoke;
    for (size_t i = 0; i < s->n; i++) {
        const uint64_t due = tend_link(s, i, f, now_ns, &starting);
        next = due < next ? due : next;
    }
    return next;
}

/* Asks all children to end and waits for them, at most two seconds in all. */
static void end_links(struct fleet_ssh *s)
{
    const uint64_t begin = env_now_ns();
    size_t left = 0;
    int status;
    for (size_t i = 0; i < s->n; i++)
        fleet_link_end(&s->links[i], begin, "rooftop ends");
    do {
        left = 0;
        for (size_t i = 0; i < s->n; i++)
            left += s->links[i].pid && !fleet_link_ended(&s->links[i], env_now_ns(), &status);
        if (left)
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    } while (left && env_now_ns() - begin < 2 * SECOND);
}

static void stop_fleet_hosts(struct fleet_source *self)
{
    struct fleet_ssh *s = hosts_of(self);
    end_links(s);
    for (size_t i = 0; i < s->n; i++) {
        free(s->links[i].line);
        free(s->names[i]);
    }
    if (s->control[0])
        temporary_remove_folder(s->control);
    if (s->control_fd >= 0)
        close(s->control_fd);
    if (s->poll_fd >= 0)
        close(s->poll_fd);
    free(s->links);
    free(s->names);
    free(s->remote);
    free(s);
}

static char **visit_fleet_host(const struct fleet_source *self, const char *host)
{
    const struct fleet_ssh *s = (const struct fleet_ssh *)(const void *)self;
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->names[i], host) == 0)
            return fleet_command(&s->config, host, s->control[0] ? s->control : NULL, true);
    return NULL;
}

const struct fleet_source_ops fleet_ssh_ops = {
    .name = "ssh",
    .start = start_fleet_hosts,
    .fd = find_fleet_fd,
    .poll = poll_fleet_hosts,
    .stop = stop_fleet_hosts,
    .visit = visit_fleet_host,
};
