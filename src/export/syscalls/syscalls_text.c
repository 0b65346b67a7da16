/* Text in strace's form: a line for each call, or the table of sums. */
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/print.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/decode/decode.h"
#include "engine/syscalls/roles.h"
#include "export/syscalls/syscalls_origin.h"

/* After this time a call that has not returned is shown as unfinished. */
enum { SHOW_NS = 200000000, BUCKETS = 1024 };

/* A copy of the entry of each task's call. */
struct entry {
    struct entry *next;
    int32_t tid;
    bool active, shown;
    struct syscall_event e;
    void *memory; /* memory of e's pieces and bytes */
    size_t size;
};
struct syscalls_waiting {
    struct entry *buckets[BUCKETS];
    int32_t tid; /* the task whose name is in `task`, because mostly the same one goes on */
    char task[24];
};

static struct entry **find_waiting_entry(struct syscalls_export *x, int32_t tid)
{
    struct entry **at = &x->waiting->buckets[hash_number(0, (uint32_t)tid) % BUCKETS];
    while (*at && (*at)->tid != tid)
        at = &(*at)->next;
    return at;
}

static void keep_waiting_event(struct syscalls_export *x, const struct syscall_event *e)
{
    struct entry **at = find_waiting_entry(x, e->tid), *k = *at;
    const size_t pieces = e->npieces * sizeof *e->pieces, size = pieces + e->nbytes;
    if (!k) {
        k = *at = xcalloc(1, sizeof *k);
        k->tid = e->tid;
    }
    if (size > k->size) {
        k->memory = xrealloc(k->memory, size, 1);
        k->size = size;
    }
    k->e = *e;
    k->e.stack = NULL;
    if (pieces > 0)
        memcpy(k->memory, e->pieces, pieces);
    if (e->nbytes > 0)
        memcpy((char *)k->memory + pieces, e->bytes, e->nbytes);
    k->e.pieces = k->memory;
    k->e.bytes = (const uint8_t *)k->memory + pieces;
    k->active = true;
    k->shown = false;
}

static void print_task(struct syscalls_export *x, const struct syscall_event *e)
{
    struct syscalls_waiting *w = x->waiting;
    if (!x->options.tasks)
        return;
    if (!w->task[0] || w->tid != e->tid)
        snprintf(w->task, sizeof w->task, "[pid %d] ", (int)e->tid);
    w->tid = e->tid;
    fputs(w->task, x->out); /* raw: a number and words of our own */
}

static void show_entry(struct syscalls_export *x, struct entry *k)
{
    print_task(x, &k->e);
    print_text(x->out, "%s(", syscall_name(k->e.abi, k->e.number));
    syscall_write_args(x->out, &k->e, NULL);
    fputs(" <unfinished ...>\n", x->out);
    k->shown = true;
}

static void tick(struct syscalls_export *x)
{
    const uint64_t now = env_now_ns();
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct entry *k = x->waiting->buckets[i]; k; k = k->next)
            if (k->active && !k->shown && now - k->e.begin_ns > SHOW_NS)
                show_entry(x, k);
    fflush(x->out);
}

static void begin(struct syscalls_export *x)
{
    x->waiting = xcalloc(1, sizeof *x->waiting);
    __fsetlocking(x->out, FSETLOCKING_BYCALLER); /* only one thread writes, a dozen pieces a line */
}

static void event(struct syscalls_export *x, const struct syscall_event *e)
{
    if (e->kind == SYSCALL_ENTRY) {
        keep_waiting_event(x, e);
        return;
    }
    if (e->kind == SYSCALL_CALL || e->kind == SYSCALL_EXIT) {
        struct entry *k = *find_waiting_entry(x, e->tid);
        if (k)
            k->active = false;
    }
    if (e->kind == SYSCALL_START || e->kind == SYSCALL_EXEC)
        return; /* the call that made the task has its own line */
    if (e->kind == SYSCALL_EXIT && e->result == -1)
        return; /* the task did not end, only its trace */
    print_task(x, e);
    syscall_write(x->out, e, NULL);
    if (x->options.times && e->kind == SYSCALL_CALL &&
        !(e->flags & (SYSCALL_NO_TIMES | SYSCALL_UNFINISHED)))
        fprintf(x->out, " <%.6f>", (double)(e->end_ns - e->begin_ns) / 1e9);
    if (x->options.source && e->stack) {
        char origin[512];
        print_text(x->out, " [%s]", syscalls_origin(e->stack, origin, sizeof origin));
    }
    fputc('\n', x->out);
    if (x->options.stacks && e->stack)
        syscalls_stack_text(x->out, e->stack);
}

static void free_waiting(struct syscalls_waiting *w)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct entry *k = w->buckets[i], *next; k; k = next) {
            next = k->next;
            free(k->memory);
            free(k);
        }
    free(w);
}

static void end(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    (void)end;
    free_waiting(x->waiting);
    x->waiting = NULL;
}

/* --- the table --- */

/* last: what stands at the end of the line, under the names of the calls. */
static void print_calls_rule(FILE *out, const char *last)
{
    print_text(out, "------ ----------- ----------- --------- --------- %s\n", last);
}

static void print_call_sum(FILE *out, double percent, double seconds, uint64_t calls,
                           uint64_t errors, const char *name)
{
    char failed[24] = "";
    if (errors)
        snprintf(failed, sizeof failed, "%llu", (unsigned long long)errors);
    print_text(out, "%6.2f %11.6f %11.0f %9llu %9s %s\n", percent, seconds,
               calls ? seconds * 1e6 / (double)calls : 0, (unsigned long long)calls, failed, name);
}

static void print_extended_calls(struct syscalls_export *x, const struct syscall_sum **list)
{
    char name[64];
    fputs(
        "\n    mean us  stddev us     min us     max us     p50 us     p75 us     p90 us     p95 us"
        "     p99 us        bytes syscall\n",
        x->out);
    for (size_t i = 0; list[i]; i++) {
        const struct syscall_sum *s = list[i];
        const uint64_t least = s->times.total ? s->min_ns : 0;
        fprintf(x->out, "%11.3f%11.3f%11.3f%11.3f", syscalls_mean(s) * 1e6,
                syscalls_deviation(s) * 1e6, (double)least / 1e3, (double)s->max_ns / 1e3);
        for (int q = 0; q < SYSCALLS_QUANTILES; q++)
            fprintf(x->out, "%11.3f", syscall_sum_quantile(s, syscalls_quantiles[q]) / 1e3);
        print_text(x->out, " %12llu %s\n", (unsigned long long)s->bytes,
                   syscalls_name(s->abi, s->number, name, sizeof name));
    }
    if (x->unfinished)
        print_text(x->out, "%llu call%s did not return\n", (unsigned long long)x->unfinished,
                   x->unfinished == 1 ? "" : "s");
}

/* Prints how many calls were seen in which way. */
static void print_ways(FILE *out, const struct tracer_result *r)
{
    bool any = false;
    for (unsigned i = 0; i < SYSCALL_WAYS; i++)
        if (r->calls[i]) {
            print_text(out, "%s%llu by %s",
                       any ? ", " : "calls seen: ", (unsigned long long)r->calls[i],
                       syscalls_way_name(i));
            any = true;
        }
    if (any)
        fputc('\n', out);
}

/* Prints the rows of the calls that wait, or of all others, below a rule. */
static void print_call_sums(const struct syscalls_export *x, const struct syscall_sum **list,
                            bool waits)
{
    bool any = !waits; /* there is a heading already, or none is needed */
    char name[64];
    for (size_t i = 0; list[i]; i++) {
        const struct syscall_sum *s = list[i];
        syscalls_name(s->abi, s->number, name, sizeof name);
        if (syscall_waits(name) != waits)
            continue;
        if (!any)
            print_calls_rule(x->out, "waiting --------");
        any = true;
        print_call_sum(x->out, 100 * syscall_sums_share(&x->sums, s), (double)s->total_ns / 1e9,
                       s->calls, s->errors, name);
    }
}

static void print_calls_table(struct syscalls_export *x, const struct tracer_result *result)
{
    const struct syscall_sum **list = syscalls_sorted(&x->sums);
    const double all = (double)x->sums.total_ns / 1e9;
    fputs("% time     seconds  usecs/call     calls    errors syscall\n", x->out);
    print_calls_rule(x->out, "----------------");
    print_call_sums(x, list, false);
    print_call_sums(x, list, true);
    print_calls_rule(x->out, "----------------");
    print_call_sum(x->out, 100, all, x->sums.calls, x->sums.errors, "total");
    if (x->options.extended)
        print_extended_calls(x, list);
    if (x->options.extended)
        print_ways(x->out, result);
    free(list);
}

static void counts(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    if (x->options.counts)
        print_calls_table(x, end->result);
    if (x->options.counts && x->options.functions)
        fputc('\n', x->out);
    if (x->options.functions)
        syscalls_functions_text(x);
}

const struct syscall_format syscall_format_text = {.name = "text",
                                                   .entries = true,
                                                   .begin = begin,
                                                   .event = event,
                                                   .tick = tick,
                                                   .end = end,
                                                   .counts = counts};
