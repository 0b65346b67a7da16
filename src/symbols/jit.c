#include "symbols/symbols_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/owner.h"

enum { MAPS_MAX = 256, READ_MAX = 256 << 20, CHUNK = 1 << 16 };
/* file dates and start times are coarse, and clocks are adjusted */
#define SLACK_NS UINT64_C(2000000000)
static const uint64_t check_ns = 200000000u; /* how long an answer stays valid */

struct jit_process {
    pid_t pid;
    struct jit_map map;
    dev_t dev;
    ino_t ino;
    off_t at; /* offset in the file of the next byte to read */
    uint64_t start_ticks;
    uint64_t checked_ns, used;
    bool checked;
};

struct jit_maps {
    struct strings *strings;
    struct jit_process *processes;
    size_t n;
    uint64_t clock;
    bool ended; /* the processes have ended, and /proc knows nothing of them */
};

struct jit_maps *jit_maps_new(struct strings *strings, bool ended)
{
    struct jit_maps *m = xcalloc(1, sizeof *m);
    m->ended = ended;
    m->strings = strings;
    m->processes = xcalloc(MAPS_MAX, sizeof *m->processes);
    return m;
}

void jit_maps_free(struct jit_maps *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n; i++)
        jit_map_free(&m->processes[i].map);
    free(m->processes);
    free(m);
}

size_t jit_maps_memory(const struct jit_maps *m)
{
    size_t bytes = 0;
    for (size_t i = 0; m && i < m->n; i++)
        bytes += jit_map_memory(&m->processes[i].map);
    return bytes;
}

/* When the process began, on the clock of file dates; 0: unknown. */
static uint64_t began_wall_ns(const struct owner_process *process)
{
    char path[512];
    double up = 0;
    FILE *f = fopen(env_path(path, sizeof path, "/proc/uptime"), "re");
    bool known = f && fscanf(f, "%lf", &up) == 1;
    if (f)
        fclose(f);
    double age = up - (double)process->start_ticks / (double)sysconf(_SC_CLK_TCK);
    uint64_t now = env_wall_ns(), ago = age > 0 ? (uint64_t)(age * 1e9) : 0;
    return known && ago < now ? now - ago : 0;
}

/* Whether the file was last written before the process began: it then describes an earlier process
 * with the same id. Checked only once, because the clock of file dates may be set. */
static bool is_older_than_process(const struct stat *file, const struct owner_process *process)
{
    uint64_t written = (uint64_t)file->st_mtim.tv_sec * 1000000000u;
    return written + SLACK_NS < began_wall_ns(process);
}

/* Opens the map for reading. Returns a descriptor or -1. Anyone may write to /tmp: base/owner.h
 * decides which files to trust. */
static int open_map(pid_t pid, const struct owner_process *process, bool known, struct stat *state)
{
    char path[512];
    const char *why;
    env_path(path, sizeof path, "/proc/%d/root/tmp/perf-%d.map", (int)pid, (int)process->inner);
    int fd = owner_open(path, process->user, state, &why);
    if (fd >= 0 && !known && is_older_than_process(state, process)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Forgets an earlier process with the same id. */
static void forget_process(struct jit_process *p)
{
    jit_map_free(&p->map);
    p->at = 0;
    p->dev = 0;
    p->ino = 0;
}

/* The map that an ended process left: a descriptor, or -1. */
static int open_left_map(pid_t pid, struct stat *state)
{
    char path[512];
    const char *why;
    return owner_open(env_path(path, sizeof path, "/tmp/perf-%d.map", (int)pid), geteuid(), state,
                      &why);
}

/* The map of a process that runs: a descriptor, or -1. */
static int open_running_map(struct jit_process *p, struct stat *state)
{
    struct owner_process process;
    if (!owner_of_process(p->pid, &process))
        return -1; /* it has ended: its functions stay valid */
    if (process.start_ticks != p->start_ticks)
        forget_process(p);
    p->start_ticks = process.start_ticks;
    return open_map(p->pid, &process, p->ino != 0, state);
}

static void read_map_on(struct jit_process *p, bool ended)
{
    struct stat state;
    int fd = ended ? open_left_map(p->pid, &state) : open_running_map(p, &state);
    if (fd < 0)
        return;
    if (state.st_dev != p->dev || state.st_ino != p->ino || state.st_size < p->at) {
        forget_process(p);
        p->dev = state.st_dev;
        p->ino = state.st_ino;
    }
    char *chunk = state.st_size > p->at ? xcalloc(1, CHUNK) : NULL;
    while (chunk && p->at < READ_MAX) {
        ssize_t n = pread(fd, chunk, CHUNK, p->at);
        if (n <= 0)
            break;
        /* An incomplete line is left for the next time. */
        size_t taken = jit_map_add(&p->map, chunk, (size_t)n);
        if (taken == 0 && n < CHUNK)
            break;
        p->at += taken ? (off_t)taken : n;
    }
    free(chunk);
    close(fd);
}

static struct jit_process *find_or_add_jit_process(struct jit_maps *m, pid_t pid)
{
    struct jit_process *oldest = m->processes;
    for (size_t i = 0; i < m->n; i++) {
        struct jit_process *p = &m->processes[i];
        if (p->pid == pid)
            return p;
        if (p->used < oldest->used)
            oldest = p;
    }
    if (m->n < MAPS_MAX)
        oldest = &m->processes[m->n++];
    jit_map_free(&oldest->map);
    *oldest = (struct jit_process){.pid = pid};
    return oldest;
}

bool jit_maps_find(struct jit_maps *m, pid_t pid, uint64_t ip, struct symbol_frame *out)
{
    struct jit_process *p = find_or_add_jit_process(m, pid);
    uint64_t now = env_now_ns(), address = 0, size = 0;
    p->used = ++m->clock;
    const char *name = NULL;
    /* Compilers reuse code memory, so an answer may be older than the end of the file. */
    if (p->checked && now - p->checked_ns < check_ns)
        name = jit_map_find(&p->map, ip, &address, &size);
    if (!name) {
        read_map_on(p, m->ended);
        p->checked = true;
        p->checked_ns = now;
        name = jit_map_find(&p->map, ip, &address, &size);
    }
    if (!name)
        return false;
    *out = (struct symbol_frame){
        .name = strings_add(m->strings, name), .address = address, .size = size};
    return true;
}
