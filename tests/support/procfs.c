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

static void remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void procfs_free(void)
{
    env_set_root(NULL);
    remove_tree(root);
}

const char *procfs_root(void)
{
    return root;
}

void procfs_remove(const char *path)
{
    char full[PATH_MAX * 2];
    snprintf(full, sizeof full, "%s%s", root, path);
    remove_tree(full);
}

/* Opens a file below a folder to write it anew, and makes its directories. */
static FILE *write_below(const char *folder, const char *path)
{
    char full[PATH_MAX * 2];
    snprintf(full, sizeof full, "%s/%s", folder, path);
    for (char *slash = full + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    FILE *f = fopen(full, "we");
    if (!f)
        abort();
    return f;
}

void procfs_bytes(const char *path, const void *data, size_t n)
{
    FILE *f = write_below(root, path);
    if (fwrite(data, 1, n, f) != n || fclose(f) != 0)
        abort();
}

/* --- trees that are kept as a list --- */

enum { TREES_MAX = 16 };
static struct {
    char list[64], root[64];
} trees[TREES_MAX];
static size_t ntrees;
static pid_t trees_owner;

static void remove_trees(void)
{
    for (size_t i = 0; i < ntrees && getpid() == trees_owner; i++)
        remove_tree(trees[i].root);
}

static void copy_beside(FILE *f, const char *list, const char *name)
{
    char from[PATH_MAX], data[4096];
    snprintf(from, sizeof from, "%.*s/%s", (int)(strrchr(list, '/') - list), list, name);
    FILE *other = fopen(from, "r");
    if (!other)
        abort();
    size_t read = fread(data, 1, sizeof data, other);
    fwrite(data, 1, read, f);
    fclose(other);
}

static void put_line(FILE *f, const char *text)
{
    for (; *text; text++)
        if (*text != '\\') {
            putc(*text, f);
        } else if (text[1] == 'c') {
            return;
        } else {
            putc((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0', f);
            text += 3;
        }
    putc('\n', f);
}

/* A line is a path, a tab and the file's text. A tab begins each further line of the text, \c ends
 * one that has no newline, and \ooo is a byte in octal. @NAME is what the file NAME beside the list
 * contains. */
static void unpack(const char *list, const char *folder)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t n;
    FILE *from = fopen(list, "re"), *f = NULL;
    if (!from)
        abort();
    while ((n = getline(&line, &size, from)) > 0) {
        char *tab = strchr(line, '\t');
        line[n - 1] = *tab = '\0';
        if (tab != line) {
            if (f)
                fclose(f);
            f = write_below(folder, line);
        }
        if (tab[1] == '@')
            copy_beside(f, list, tab + 2);
        else
            put_line(f, tab + 1);
    }
    fclose(f);
    fclose(from);
    free(line);
}

const char *procfs_tree(const char *list)
{
    for (size_t i = 0; i < ntrees; i++)
        if (strcmp(trees[i].list, list) == 0)
            return trees[i].root;
    if (ntrees == TREES_MAX)
        abort();
    snprintf(trees[ntrees].list, sizeof trees->list, "%s", list);
    snprintf(trees[ntrees].root, sizeof trees->root, "/tmp/rooftop-procfs-XXXXXX");
    if (!mkdtemp(trees[ntrees].root))
        abort();
    if (ntrees == 0 && atexit(remove_trees) == 0)
        trees_owner = getpid();
    unpack(list, trees[ntrees].root);
    return trees[ntrees++].root;
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
