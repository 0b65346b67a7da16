/*
 * Reads the clients of all processes that may be inspected, and their changes since the last
 * reading.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "backends/amdgpu/amdgpu_impl.h"
#include "backends/common/proc_file.h"
#include "base/arena.h"
#include "base/env.h"

enum { CLIENTS_MAX = 4096, PIDS_MAX = 1024, LOOK_EVERY = 5 };

struct client {
    struct fdinfo now;
    int pid, gpu;
};
struct fdinfo_watch {
    struct client *before, *now;
    size_t nbefore, nnow;
    uint64_t time_ns;
    int pids[PIDS_MAX]; /* those that had a client in the last full search */
    size_t npids;
    unsigned looks;
};

struct fdinfo_watch *fdinfo_new(void)
{
    struct fdinfo_watch *w = xcalloc(1, sizeof *w);
    w->before = xcalloc(CLIENTS_MAX, sizeof *w->before);
    w->now = xcalloc(CLIENTS_MAX, sizeof *w->now);
    return w;
}

void fdinfo_free(struct fdinfo_watch *w)
{
    if (!w)
        return;
    free(w->before);
    free(w->now);
    free(w);
}

bool fdinfo_is_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0' && strlen(text) < 10;
}

static const struct client *find_client(const struct client *list, size_t n, const struct fdinfo *f)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].now.client == f->client && strcmp(list[i].now.pci, f->pci) == 0)
            return &list[i];
    return NULL;
}

static void add_client(struct fdinfo_watch *w, const struct gpus *g, int pid, const char *path)
{
    char text[4096];
    struct fdinfo f;
    ssize_t n = file_read(path, text, sizeof text);
    if (n <= 0 || !fdinfo_parse(&f, text, (size_t)n) || strcmp(f.driver, "amdgpu") != 0)
        return;
    int gpu = gpus_find_pci(g, f.pci);
    if (gpu < 0 || w->nnow == CLIENTS_MAX || find_client(w->now, w->nnow, &f))
        return;
    w->now[w->nnow++] = (struct client){.now = f, .pid = pid, .gpu = gpu};
}

/* Whether a descriptor is a graphics device. If links cannot be read (a recorded tree), the text of
 * its file decides. */
static bool may_be_drm(int links, const char *fd)
{
    char to[64];
    ssize_t n = links >= 0 ? readlinkat(links, fd, to, sizeof to) : 0;
    return links < 0 || (n > 9 && memcmp(to, "/dev/dri/", 9) == 0);
}

static bool add_clients_of_pid(struct fdinfo_watch *w, const struct gpus *g, int pid)
{
    char full[512], folder[64], path[128];
    size_t had = w->nnow;
    snprintf(folder, sizeof folder, "/proc/%d/fdinfo", pid);
    DIR *d = opendir(env_path(full, sizeof full, "%s", folder));
    if (!d)
        return false;
    int links =
        open(env_path(full, sizeof full, "/proc/%d/fd", pid), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (struct dirent *e; (e = readdir(d));) {
        if (!fdinfo_is_number(e->d_name) || !may_be_drm(links, e->d_name))
            continue;
        snprintf(path, sizeof path, "%s/%.16s", folder, e->d_name);
        add_client(w, g, pid, path);
    }
    if (links >= 0)
        close(links);
    closedir(d);
    return w->nnow > had;
}

static int compare_client_pids(const void *a, const void *b)
{
    return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

/* Searches all processes from time to time, and in between only those that had clients. */
static void look_at_processes(struct fdinfo_watch *w, const struct gpus *g)
{
    char full[512];
    if (w->looks++ % LOOK_EVERY != 0) {
        for (size_t i = 0; i < w->npids; i++)
            add_clients_of_pid(w, g, w->pids[i]);
        return;
    }
    int *all = NULL;
    size_t n = 0, room = 0;
    w->npids = 0;
    DIR *d = opendir(env_path(full, sizeof full, "/proc"));
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!fdinfo_is_number(e->d_name))
            continue;
        LIST_ADD(all, n, room, (int)strtol(e->d_name, NULL, 10));
    }
    if (d)
        closedir(d);
    if (n)
        /* a client of several processes counts for the oldest */
        qsort(all, n, sizeof *all, compare_client_pids);
    for (size_t i = 0; i < n; i++)
        if (add_clients_of_pid(w, g, all[i]) && w->npids < PIDS_MAX)
            w->pids[w->npids++] = all[i];
    free(all);
}

/* --- filling the rows of processes --- */

static struct gpu_process *find_client_row(struct gpus_build *b, const struct client *c)
{
    for (size_t i = 0; i < b->g.nprocesses; i++)
        if (b->g.processes[i].pid == c->pid && b->g.processes[i].gpu == c->gpu)
            return &b->g.processes[i];
    struct gpu_process *p = gpus_add_row(b, GPUS_PROCESSES, "of compute processes only (KFD)");
    char path[64], comm[64] = "";
    if (!p)
        return NULL;
    p->gpu = c->gpu;
    p->pid = c->pid;
    snprintf(path, sizeof path, "/proc/%d/comm", c->pid);
    file_line(path, comm, sizeof comm);
    p->name = gpus_text(b, "%s", comm);
    p->mem = value_missing("this kernel does not tell the memory of clients", UNIT_BYTES);
    return p;
}

static void add_client_value(struct value *v, double more, enum unit unit)
{
    *v = value_ok((v->validity == VALUE_OK ? v->v : 0) + more, unit);
}

static void add_engine_share(struct value *v, uint64_t now, const uint64_t *before, double ns)
{
    if (!before || !(ns > 0)) {
        if (v->validity != VALUE_OK)
            *v = value_pending(UNIT_PERCENT);
        return;
    }
    add_client_value(v, now > *before ? 100.0 * (double)(now - *before) / ns : 0, UNIT_PERCENT);
}

static void use_client(struct fdinfo_watch *w, struct gpus_build *b, const struct client *c,
                       double ns)
{
    struct gpu_process *p = find_client_row(b, c);
    if (!p)
        return;
    const struct client *old = find_client(w->before, w->nbefore, &c->now);
    bool compute = p->kind[0] == 'c'; /* KFD reported its memory */
    if (!compute && c->now.has_vram)
        add_client_value(&p->mem, (double)c->now.vram, UNIT_BYTES);
    if (c->now.has_gtt)
        add_client_value(&p->gtt, (double)c->now.gtt, UNIT_BYTES);
    uint64_t work = c->now.gfx + c->now.compute, was = old ? old->now.gfx + old->now.compute : 0;
    if (!compute || work > 0) { /* fdinfo does not have the time of a compute process: n/a, not 0 */
        add_engine_share(&p->busy, work, old ? &was : NULL, ns);
        p->kind = compute ? "compute+graphics" : "graphics";
    }
    if (!compute) {
        add_engine_share(&p->copy, c->now.copy, old ? &old->now.copy : NULL, ns);
        add_engine_share(&p->video, c->now.video, old ? &old->now.video : NULL, ns);
    }
}

void fdinfo_gather(struct fdinfo_watch *w, struct gpus_build *b, uint64_t now_ns)
{
    struct client *old = w->before;
    double ns = w->time_ns && now_ns > w->time_ns ? (double)(now_ns - w->time_ns) : 0;
    w->nnow = 0;
    look_at_processes(w, &b->g);
    for (size_t i = 0; i < w->nnow; i++)
        use_client(w, b, &w->now[i], ns);
    w->before = w->now;
    w->nbefore = w->nnow;
    w->now = old;
    w->time_ns = now_ns;
}
