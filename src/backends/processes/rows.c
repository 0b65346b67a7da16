#include "backends/processes/processes_impl.h"

#include <string.h>

/* Copies a text to *at and moves past it; the total size was computed before. */
static const char *put_row_text(char **at, const char *text, size_t len)
{
    char *to = *at;
    memcpy(to, text, len);
    to[len] = '\0';
    *at += len + 1;
    return to;
}

static size_t text_size(struct task *const *tasks, size_t n, const struct users *users)
{
    size_t size = 1;
    for (int i = 0; i < users_count(users); i++)
        size += strlen(users_name(users, i)) + 1;
    for (size_t i = 0; i < n; i++) {
        size_t comm = strlen(tasks[i]->stat.comm);
        size += comm + 1 + (tasks[i]->cmdline_len ? tasks[i]->cmdline_len : comm + 2) + 1;
    }
    return size;
}

static void fill_process_row(struct proc *row, const struct task *t, char **text)
{
    const struct pid_stat *s = &t->stat;
    size_t comm = strlen(s->comm);
    row->pid = t->pid;
    row->ppid = s->ppid;
    row->uid = t->uid;
    row->comm = put_row_text(text, s->comm, comm);
    if (t->cmdline_len) {
        row->cmdline = put_row_text(text, t->cmdline, t->cmdline_len);
    } else {
        char *at = *text;
        at[0] = '[';
        memcpy(at + 1, s->comm, comm);
        memcpy(at + 1 + comm, "]", 2);
        row->cmdline = at;
        *text += comm + 3;
    }
    row->state = s->state;
    row->kernel_thread = s->kernel_thread;
    row->watched = t->watched;
    row->threads = s->threads;
    row->nice = s->nice;
    row->cpu = s->cpu;
    row->cpu_percent = t->cpu_percent;
    row->start_ticks = s->start_ticks;
    row->virt = s->virt;
    row->own[PROC_MINOR_FAULTS] = (double)s->minor_faults;
    row->own[PROC_MAJOR_FAULTS] = (double)s->major_faults;
    row->waited[PROC_MINOR_FAULTS] = (double)s->child_minor_faults;
    row->waited[PROC_MAJOR_FAULTS] = (double)s->child_major_faults;
}

void rows_fill(struct snapshot *out, struct task *const *tasks, size_t n, const struct users *users,
               uint64_t hz, uint64_t page_size)
{
    int nusers = users_count(users);
    char *text = snapshot_alloc(out, text_size(tasks, n, users));
    const char **names = snapshot_alloc(out, (size_t)(nusers + 1) * sizeof *names);
    for (int i = 0; i < nusers; i++)
        names[i] = put_row_text(&text, users_name(users, i), strlen(users_name(users, i)));
    out->procs = snapshot_alloc(out, (n ? n : 1) * sizeof *out->procs);
    out->nprocs = out->nthreads = 0;
    for (size_t i = 0; i < n; i++) {
        const struct task *t = tasks[i];
        if (!t->read)
            continue;
        struct proc *row = &out->procs[out->nprocs++];
        fill_process_row(row, t, &text);
        row->user = t->user < 0 ? "?" : names[t->user];
        row->cpu_seconds = row->own[PROC_CPU_S] = (double)t->stat.ticks / (double)hz;
        row->waited[PROC_CPU_S] = (double)t->stat.child_ticks / (double)hz;
        row->started_s = (double)t->stat.start_ticks / (double)hz;
        row->rss = t->stat.rss_pages * page_size;
        out->nthreads += t->stat.threads > 0 ? (size_t)t->stat.threads : 0;
    }
}
