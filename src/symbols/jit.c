#include "symbols/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "symbols/jit_map.h"

enum { MAPS_MAX = 256, READ_MAX = 256 << 20, CHUNK = 1 << 16 };
static const uint64_t check_ns = 200000000u; /* how old an answer may be */

struct process {
    pid_t pid;
    struct jit_map map;
    dev_t dev;
    ino_t ino;
    off_t at; /* read up to here */
    uint64_t checked_ns, used;
    bool checked;
};

struct jit_maps {
    struct strings *strings;
    struct process *processes;
    size_t n;
    uint64_t clock;
};

struct jit_maps *jit_maps_new(struct strings *strings)
{
    struct jit_maps *m = xcalloc(1, sizeof *m);
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

/* Its pid in its own namespace, which names the file, and its user. */
static bool ask_status(pid_t pid, long *inner, long *uid)
{
    char path[512], line[512];
    FILE *f = fopen(env_path(path, sizeof path, "/proc/%d/status", (int)pid), "re");
    *inner = pid;
    *uid = -1;
    while (f && fgets(line, sizeof line, f)) {
        char *last = strrchr(line, '\t');
        if (strncmp(line, "NSpid:", 6) == 0 && last)
            *inner = strtol(last, NULL, 10);
        else if (strncmp(line, "Uid:", 4) == 0)
            *uid = strtol(line + 4, NULL, 10);
    }
    if (f)
        fclose(f);
    return *uid >= 0;
}

/* An open descriptor, or -1. Anyone may write to /tmp: only a plain file of the process' user, or
 * of root, is believed. */
static int open_map(pid_t pid, struct stat *state)
{
    char path[512];
    long inner, uid;
    if (!ask_status(pid, &inner, &uid))
        return -1;
    env_path(path, sizeof path, "/proc/%d/root/tmp/perf-%ld.map", (int)pid, inner);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    if (fstat(fd, state) == 0 && S_ISREG(state->st_mode) &&
        (state->st_uid == (uid_t)uid || state->st_uid == 0))
        return fd;
    close(fd);
    return -1;
}

static void read_on(struct process *p)
{
    struct stat state;
    int fd = open_map(p->pid, &state);
    if (fd < 0)
        return;
    if (state.st_dev != p->dev || state.st_ino != p->ino || state.st_size < p->at) {
        jit_map_free(&p->map);
        p->at = 0;
        p->dev = state.st_dev;
        p->ino = state.st_ino;
    }
    char *chunk = state.st_size > p->at ? xcalloc(1, CHUNK) : NULL;
    while (chunk && p->at < READ_MAX) {
        ssize_t n = pread(fd, chunk, CHUNK, p->at);
        if (n <= 0)
            break;
        /* A line that is not whole yet is left for the next time. */
        size_t taken = jit_map_add(&p->map, chunk, (size_t)n);
        if (taken == 0 && n < CHUNK)
            break;
        p->at += taken ? (off_t)taken : n;
    }
    free(chunk);
    close(fd);
}

static struct process *process_of(struct jit_maps *m, pid_t pid)
{
    struct process *oldest = m->processes;
    for (size_t i = 0; i < m->n; i++) {
        struct process *p = &m->processes[i];
        if (p->pid == pid)
            return p;
        if (p->used < oldest->used)
            oldest = p;
    }
    if (m->n < MAPS_MAX)
        oldest = &m->processes[m->n++];
    jit_map_free(&oldest->map);
    *oldest = (struct process){.pid = pid};
    return oldest;
}

bool jit_maps_find(struct jit_maps *m, pid_t pid, uint64_t ip, struct symbol_frame *out)
{
    struct process *p = process_of(m, pid);
    uint64_t now = env_now_ns(), address = 0, size = 0;
    p->used = ++m->clock;
    const char *name = NULL;
    /* Code memory is used again: what is found may be older than what was written since. */
    if (p->checked && now - p->checked_ns < check_ns)
        name = jit_map_find(&p->map, ip, &address, &size);
    if (!name) {
        read_on(p);
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
