#include "procfs.h"

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"

static char root[PATH_MAX];
uint64_t procfs_clock_ns;

uint64_t procfs_clock(void *ctx)
{
    (void)ctx;
    return procfs_clock_ns;
}

void procfs_new(void)
{
    snprintf(root, sizeof root, "/tmp/rooftop-procfs-XXXXXX");
    if (!mkdtemp(root))
        abort();
    env_set_root(root);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void procfs_free(void)
{
    env_set_root(NULL);
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *procfs_root(void)
{
    return root;
}

void procfs_remove(const char *path)
{
    char full[PATH_MAX * 2];
    snprintf(full, sizeof full, "%s%s", root, path);
    nftw(full, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void procfs_bytes(const char *path, const void *data, size_t n)
{
    char full[PATH_MAX * 2];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n)
        abort();
    close(fd);
}

void procfs_write(const char *path, const char *fmt, ...)
{
    static char text[256 * 1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof text)
        abort();
    procfs_bytes(path, text, (size_t)n);
}

void procfs_stat(int ncpus, uint64_t user, uint64_t system, uint64_t idle, uint64_t iowait,
                 uint64_t forks)
{
    char *text = malloc((size_t)ncpus * 128 + 1024), *at = text;
    if (!text)
        abort();
    uint64_t n = (uint64_t)ncpus;
    for (int c = -1; c < ncpus; c++) {
        uint64_t k = c < 0 ? n : 1;
        at += c < 0 ? sprintf(at, "cpu ") : sprintf(at, "cpu%d", c);
        at += sprintf(at, " %" PRIu64 " 0 %" PRIu64 " %" PRIu64 " %" PRIu64 " 0 0 0 0 0\n",
                      (user * k), (system * k), (idle * k), (iowait * k));
    }
    at += sprintf(at, "intr 1000 0 0\nctxt 2000\nbtime 1\nprocesses %" PRIu64 "\nprocs_running 2\n",
                  forks);
    procfs_bytes("/proc/stat", text, (size_t)(at - text));
    free(text);
}

void procfs_machine(int ncpus)
{
    procfs_write("/sys/devices/system/cpu/online", "0-%d\n", ncpus - 1);
    procfs_write("/sys/devices/system/node/online", "0-1\n");
    procfs_write("/sys/devices/system/node/node0/cpulist", "0-%d\n", ncpus / 2 - 1);
    procfs_write("/sys/devices/system/node/node1/cpulist", "%d-%d\n", ncpus / 2, ncpus - 1);
    for (int c = 0; c < ncpus; c++) {
        char path[128];
        int pair = c / 2 * 2, group = c / 8 * 8;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
                 c);
        procfs_write(path, "%d\n", c >= ncpus / 2);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/core_id", c);
        procfs_write(path, "%d\n", c / 2);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                 c);
        procfs_write(path, "%d-%d\n", pair, pair + 1);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index0/level", c);
        procfs_write(path, "1\n");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index1/level", c);
        procfs_write(path, "3\n");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index1/shared_cpu_list",
                 c);
        procfs_write(path, "%d-%d\n", group, group + 7);
    }
    procfs_stat(ncpus, 100, 100, 800, 50, 10);
    procfs_write("/proc/loadavg", "0.50 1.25 2.00 1/10 99\n");
    procfs_write("/proc/uptime", "1000.00 2000.00\n");
    procfs_write("/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 200 kB\nMemAvailable: 400 kB\n"
                                  "Buffers: 10 kB\nCached: 150 kB\nSwapTotal: 64 kB\n"
                                  "SwapFree: 60 kB\n");
    procfs_write("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nme:x:1000:1000::/:/bin/sh\n");
}

void procfs_process(const struct procfs_process *p)
{
    char path[64], args[4096];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)p->pid);
    procfs_write(path,
                 "%d (%s) %c %d %d %d 0 -1 %u 0 0 0 0 %" PRIu64 " %" PRIu64 " %" PRIu64
                 " 0 20 5 3 0 %" PRIu64 " 8192000 25 "
                 "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n",
                 (int)p->pid, p->comm, p->state ? p->state : 'S', (int)p->ppid,
                 (int)(p->session ? p->session : p->pid), (int)(p->session ? p->session : p->pid),
                 p->flags, p->utime, p->stime, p->waited, p->start);
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)p->pid);
    size_t n = p->cmdline ? strlen(p->cmdline) + 1 : 0;
    if (n > sizeof args)
        abort();
    for (size_t i = 0; i < n; i++)
        args[i] = p->cmdline[i] == ' ' ? '\0' : p->cmdline[i];
    procfs_bytes(path, args, n);
}
