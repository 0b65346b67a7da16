#include "engine/syscalls/snapshot/syscalls_snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/print.h"
#include "base/search.h"
#include "engine/facts/descriptors.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/decode/decode.h"
#include "engine/syscalls/snapshot/calls_profile.h"
#include "engine/syscalls/roles.h"

struct syscalls_snapshot *syscalls_snapshot_ref(const struct syscalls_snapshot *p)
{
    struct syscalls_snapshot *own = (struct syscalls_snapshot *)p; /* only the count changes */
    __atomic_add_fetch(&own->refs, 1, __ATOMIC_RELAXED);
    return own;
}

void syscalls_snapshot_unref(const struct syscalls_snapshot *p)
{
    struct syscalls_snapshot *own = (struct syscalls_snapshot *)p;
    if (!own || __atomic_sub_fetch(&own->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (size_t i = 0; i < sizeof own->by_function / sizeof *own->by_function; i++)
        if (own->by_function[i]) {
            calls_profile_free(own->by_function[i]);
            free(own->by_function[i]);
        }
    syscall_tail_return(&own->tail);
    syscall_stacks_free(own->stacks);
    arena_free(&own->arena);
    free(own);
}

/* The program of the process that had this pid at that time, without folders; "" unknown. */
static const char *syscalls_program_name(const struct syscalls_snapshot *p, int32_t pid,
                                         uint64_t ns)
{
    size_t low = 0; /* the first program that began after ns */
    SEARCH_FIRST(low, p->nprograms,
                 p->programs[low].pid < pid ||
                     (p->programs[low].pid == pid && p->programs[low].begin_ns <= ns));
    if (low && p->programs[low - 1].pid == pid)
        return p->programs[low - 1].name;
    return low < p->nprograms && p->programs[low].pid == pid ? p->programs[low].name : "";
}

void syscalls_snapshot_event(const struct syscalls_snapshot *p, uint64_t i,
                             struct syscalls_event_row *out)
{
    *out = (struct syscalls_event_row){
        .e = syscall_tail_at(&p->tail, i), .number = p->tail.first + i, .begin_ns = p->begin_ns};
    out->program = syscalls_program_name(p, out->e.pid, out->e.end_ns);
}

const char *syscalls_state_name(enum syscalls_state s)
{
    static const char *const names[] = {
        [SYSCALLS_SAVED] = "saved",     [SYSCALLS_STARTING] = "starting",
        [SYSCALLS_TRACING] = "tracing", [SYSCALLS_STOPPING] = "stopping",
        [SYSCALLS_STOPPED] = "stopped", [SYSCALLS_ENDED] = "ended",
        [SYSCALLS_FAILED] = "failed",
    };
    return names[s];
}

const char *syscalls_file_kind(unsigned kind)
{
    static const char *const names[] = {[DESCRIPTOR_STANDARD] = "standard",
                                        [DESCRIPTOR_FILE] = "file",
                                        [DESCRIPTOR_PIPE] = "pipe",
                                        [DESCRIPTOR_SOCKET] = "socket",
                                        [DESCRIPTOR_HANDLE] = "handle"};
    return kind < sizeof names / sizeof *names ? names[kind] : "";
}

const char *syscalls_process_state(const struct syscalls_process_row *r, char *out, size_t size)
{
    const int status = (int)r->status;
    if (!r->ended)
        return "runs";
    if (r->status < 0)
        return "ended";
    if (WIFSIGNALED(status)) {
        const char *name = syscall_signal_name(WTERMSIG(status));
        snprintf(out, size, "%s", name ? name : "signal");
        return out;
    }
    snprintf(out, size, "exit %d", WEXITSTATUS(status));
    return out;
}

void syscalls_call_name(unsigned abi, uint32_t number, char *out, size_t size)
{
    static const char *const others[SYSCALL_ABIS] = {
        [SYSCALL_I386] = " [i386]", [SYSCALL_X32] = " [x32]", [SYSCALL_ARM32] = " [arm]"};
    snprintf(out, size, "%s%s", syscall_name(abi, number),
             abi < SYSCALL_ABIS && others[abi] ? others[abi] : "");
}

uint64_t syscalls_bytes_moved(const struct syscall_event *e)
{
    const unsigned role = syscall_duty(e->abi, e->number)->role;
    const bool moves = role == ROLE_READ || role == ROLE_WRITE || role == ROLE_COPY;
    return moves && e->result > 0 && !(e->flags & SYSCALL_UNFINISHED) ? (uint64_t)e->result : 0;
}

void syscalls_event_text(const struct syscall_event *e, char *out, size_t size)
{
    FILE *f = size ? fmemopen(out, size, "w") : NULL;
    if (size)
        out[0] = '\0';
    if (!f)
        return;
    syscall_write(f, e, NULL);
    fclose(f); /* ends the text, cut to the size of out */
    out[size - 1] = '\0';
}

/* --- the lists --- */

#define LIST(name, member, count_of)                                                               \
    static size_t count_##name(const struct syscalls_snapshot *p)                                  \
    {                                                                                              \
        return p->count_of;                                                                        \
    }                                                                                              \
    static const void *row_##name(const struct syscalls_snapshot *p, size_t i,                     \
                                  struct syscalls_event_row *buf)                                  \
    {                                                                                              \
        (void)buf;                                                                                 \
        return &p->member[i];                                                                      \
    }
LIST(calls, calls, ncalls)
LIST(origins, origins, norigins)
LIST(processes, processes, nprocesses)
LIST(files, files, nfiles)
LIST(findings, findings, nfindings)
#undef LIST

static size_t count_events(const struct syscalls_snapshot *p)
{
    return (size_t)p->tail.n;
}

/* The newest first. */
static const void *row_events(const struct syscalls_snapshot *p, size_t i,
                              struct syscalls_event_row *buf)
{
    syscalls_snapshot_event(p, p->tail.n - 1 - i, buf);
    return buf;
}

const struct syscalls_list_ops syscalls_lists[SYSCALLS_LISTS] = {
    [SYSCALLS_CALLS] = {"calls", "by call", syscalls_call_fields, count_calls, row_calls},
    [SYSCALLS_ORIGINS] = {"origins", "where they came from", syscalls_origin_fields, count_origins,
                          row_origins},
    [SYSCALLS_PROCESSES] = {"processes", "by process", syscalls_process_fields, count_processes,
                            row_processes},
    [SYSCALLS_FILES] = {"files", "by file and socket", syscalls_file_fields, count_files,
                        row_files},
    [SYSCALLS_EVENTS] = {"events", "as they come", syscalls_event_fields, count_events, row_events},
    [SYSCALLS_FINDINGS] = {"findings", "anti-patterns", syscalls_finding_fields, count_findings,
                           row_findings},
};

/* --- rates --- */

void syscalls_rates_fill(const struct syscalls_rates *r, const uint64_t *counts, float *out,
                         size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t from = i * r->n / n, to = (i + 1) * r->n / n;
        uint64_t sum = 0;
        to = to > from ? to : from + 1;
        for (size_t k = from; k < to && k < r->n; k++)
            sum += counts[k];
        out[i] = (float)((double)sum * 1e9 / ((double)r->width_ns * (double)(to - from)));
    }
}

double syscalls_rate_now(const struct syscalls_snapshot *p, const uint64_t *counts)
{
    enum { SECOND = 1000000000 };
    const struct syscalls_rates *r = &p->rates;
    const uint64_t now = p->end_ns > r->begin_ns ? p->end_ns - r->begin_ns : 0;
    const uint64_t from = now > SECOND ? (now - SECOND) / r->width_ns : 0;
    uint64_t sum = 0;
    for (uint64_t i = from; i < r->n; i++)
        sum += counts[i];
    return now > from * r->width_ns ? (double)sum * 1e9 / (double)(now - from * r->width_ns) : 0;
}
