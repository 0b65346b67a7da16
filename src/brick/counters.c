/* Opens and reads a group of counters of the calling thread. */
#include "brick/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "brick/counter_page.h"
#include "brick/internal.h"

static unsigned forks; /* number of forks from the process with the first group to this one */
static pthread_once_t watch_forks_once = PTHREAD_ONCE_INIT;
static __thread char this_thread __attribute__((tls_model("initial-exec")));

static void count_fork(void)
{
    forks++;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, count_fork);
}

static void explain_counter_refusal(char why[COUNTER_WHY_MAX], const struct counter_event *e,
                                    int code, bool alone)
{
    char paranoid[16] = "?";
    int fd = code == EACCES || code == EPERM
                 ? open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC)
                 : -1;
    ssize_t n = fd < 0 ? -1 : read(fd, paranoid, sizeof paranoid - 1);
    if (fd >= 0)
        close(fd);
    if (n > 0)
        paranoid[n - (paranoid[n - 1] == '\n')] = '\0';
    switch (code) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        snprintf(why, COUNTER_WHY_MAX, "%s",
                 e->type == PERF_TYPE_SOFTWARE
                     ? "this kernel does not count it"
                     : "this machine does not count it: its PMU lacks the event, or a virtual "
                       "machine has no PMU");
        return;
    case EACCES:
    case EPERM:
        snprintf(why, COUNTER_WHY_MAX,
                 "not permitted: kernel.perf_event_paranoid is %s, user mode needs 2 or less, "
                 "kernel mode 1 or less",
                 paranoid);
        return;
    case EINVAL:
        snprintf(why, COUNTER_WHY_MAX, "%s",
                 alone ? "the kernel refuses it (EINVAL)"
                       : "this CPU cannot count so many events at once");
        return;
    case EMFILE:
        snprintf(why, COUNTER_WHY_MAX,
                 "too many descriptors are open: the lower half of RLIMIT_NOFILE is left to the "
                 "program");
        return;
    default:
        snprintf(why, COUNTER_WHY_MAX, "perf_event_open: %s", strerror(code));
    }
}

static int open_counter_event(const struct counter_event *e, int leader)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = e->type,
                                   .config = e->config,
                                   .exclude_user = !e->user,
                                   .exclude_kernel = !e->kernel,
                                   .exclude_hv = 1,
                                   .read_format = PERF_FORMAT_GROUP |
                                                  PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                  PERF_FORMAT_TOTAL_TIME_RUNNING};
    int fd = -1;
#ifdef __aarch64__
    /* On Arm programs may read counters only on request: bit 1; bit 0 requests 64 bits. */
    for (uint64_t asked = 3; fd < 0 && asked >= 2 && e->type != PERF_TYPE_SOFTWARE; asked--) {
        attr.config1 = asked;
        fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    }
    attr.config1 = 0;
#endif
    if (fd < 0)
        fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    return fd;
}

/* Moves a descriptor above the program's own ones: a program may close a number that it takes for
 * its own, which may then become another file. Without a free number up there, there are no
 * counters, so that many threads leave the program its descriptors. Returns the descriptor, or
 * -errno after it closed it. */
static int move_up(int fd)
{
    struct rlimit limit;
    int from = 0;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= 256)
        from = (int)(limit.rlim_cur > 65536 ? 32768 : limit.rlim_cur / 2);
    int up = from ? fcntl(fd, F_DUPFD_CLOEXEC, from) : -1;
    const int code = errno;
    if (up < 0 && (!from || code != EMFILE))
        return fd;
    close(fd);
    return up < 0 ? -code : up;
}

/* Whether the number is still the descriptor that was opened. */
static bool is_own_descriptor(int fd, uint64_t id)
{
    uint64_t now = 0;
    return ioctl(fd, PERF_EVENT_IOC_ID, &now) == 0 && now == id;
}

static void add_counter_event(struct rooftop_counters *g, const struct counter_event *e)
{
    int fd = open_counter_event(e, g->nopen ? g->fd[0] : -1), code = errno;
    if (fd < 0) {
        int alone = g->nopen && code == EINVAL ? open_counter_event(e, -1) : -1;
        explain_counter_refusal(g->why[g->n], e, code, alone < 0);
        if (alone >= 0)
            close(alone);
        return;
    }
    long size = sysconf(_SC_PAGESIZE);
    fd = move_up(fd);
    if (fd < 0) {
        explain_counter_refusal(g->why[g->n], e, -fd, true);
        return;
    }
    void *page = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
    g->fd[g->nopen] = fd;
    if (ioctl(fd, PERF_EVENT_IOC_ID, &g->id[g->nopen]) != 0)
        g->id[g->nopen] = 0;
    g->page[g->nopen] = page == MAP_FAILED ? NULL : page;
    g->event[g->nopen++] = (uint8_t)g->n;
}

static bool all_usable(const struct rooftop_counters *g)
{
    for (uint32_t i = 0; i < g->nopen; i++)
        if (!g->page[i] || !page_usable(g->page[i]))
            return false;
    return g->nopen > 0;
}

PUBLIC rooftop_counters *rooftop_counters_open(const char *events)
{
    struct rooftop_counters *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    pthread_once(&watch_forks_once, watch_forks);
    g->forks = forks;
    g->pid = (int)getpid();
    g->thread = &this_thread;
    for (const char *at = events; *at && g->n < ROOFTOP_COUNTERS_MAX;) {
        struct counter_event e = {.user = true};
        char text[COUNTER_TEXT_MAX];
        size_t length = strcspn(at, ",");
        snprintf(text, sizeof text, "%.*s", (int)length, at);
        at += length + (at[length] == ',');
        if (*text == '\0')
            continue;
        bool known = counter_event_parse(text, &e) && length < sizeof text;
        snprintf(g->name[g->n], sizeof g->name[0], "%s", e.name);
        if (known)
            add_counter_event(g, &e);
        else
            snprintf(g->why[g->n], sizeof g->why[0], "no event has this name here");
        g->n++;
    }
    g->fast = all_usable(g);
    return g;
}

PUBLIC void rooftop_counters_close(rooftop_counters *g)
{
    if (!g)
        return;
    long size = sysconf(_SC_PAGESIZE);
    for (uint32_t i = g->nopen; i-- > 0;) {
        /* After a fork a child has the descriptors, but not the pages. It may come here before
         * forks are counted. */
        if (g->page[i] && g->pid == (int)getpid())
            munmap((void *)g->page[i], (size_t)size);
        if (is_own_descriptor(g->fd[i], g->id[i]))
            close(g->fd[i]);
    }
    free(g);
}

PUBLIC unsigned rooftop_counters_n(const rooftop_counters *g)
{
    return g->n;
}

PUBLIC const char *rooftop_counters_name(const rooftop_counters *g, unsigned i)
{
    return i < g->n ? g->name[i] : "";
}

PUBLIC const char *rooftop_counters_why(const rooftop_counters *g, unsigned i)
{
    return i < g->n ? g->why[i] : "it was not asked for";
}

static bool may_be_fast(const struct rooftop_counters *g)
{
    return g->fast && g->thread == &this_thread && g->forks == forks;
}

static bool read_counter_registers(const struct rooftop_counters *g, rooftop_counts *out)
{
    for (uint32_t i = 0; i < g->nopen; i++)
        if (!page_read(g->page[i], &out->value[g->event[i]]))
            return false;
    return page_times(g->page[0], &out->enabled_ns, &out->running_ns);
}

PUBLIC int rooftop_counters_fast(const rooftop_counters *g)
{
    rooftop_counts ignored;
    return may_be_fast(g) && read_counter_registers(g, &ignored);
}

/* Reads by a system call, not by `read`, where a cancelled thread would end. Keeps errno. */
static int read_counters_by_kernel(const struct rooftop_counters *g, rooftop_counts *out)
{
    struct {
        uint64_t n, enabled, running, value[ROOFTOP_COUNTERS_MAX];
    } got;
    const int before = errno;
    const long size = syscall(SYS_read, g->fd[0], &got, sizeof got);
    const int code = errno;
    errno = before;
    if (size < (long)(3 * sizeof(uint64_t)))
        return size < 0 ? -code : -EIO;
    if (got.n != g->nopen)
        return -EIO;
    out->enabled_ns = got.enabled;
    out->running_ns = got.running;
    for (uint32_t i = 0; i < g->nopen; i++)
        out->value[g->event[i]] = got.value[i];
    return 0;
}

PUBLIC int rooftop_counters_read(const rooftop_counters *g, rooftop_counts *out)
{
    if (g->nopen < g->n || !g->n)
        memset(out->value, 0, sizeof out->value);
    else
        memset(out->value + g->n, 0, (ROOFTOP_COUNTERS_MAX - g->n) * sizeof *out->value);
    if (__builtin_expect(may_be_fast(g), 1) && read_counter_registers(g, out))
        return 0;
    *out = (rooftop_counts){0, 0, {0}};
    if (!g->nopen)
        return -ENODATA;
    if (g->forks != forks)
        return -ECHILD;
    return read_counters_by_kernel(g, out);
}
