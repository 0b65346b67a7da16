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
#include "engine/value/value.h"
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

static void print_call_time(FILE *out, double ns)
{
    char text[VALUE_TEXT_MAX];
    print_text(out, " %8s", value_time(ns, true, text));
}

/* The times of each call. The table above has strace's columns, this one is ours. */
static void print_extended_calls(struct syscalls_export *x)
{
    const struct syscall_sum **list = syscalls_sorted(&x->sums);
    char name[64], bytes[VALUE_TEXT_MAX];
    fputs("\n     mean   stddev      min      max      p50      p75      p90      p95      p99"
          "    bytes syscall\n",
          x->out);
    for (size_t i = 0; list[i]; i++) {
        const struct syscall_sum *s = list[i];
        print_call_time(x->out, syscalls_mean(s) * 1e9);
        print_call_time(x->out, syscalls_deviation(s) * 1e9);
        print_call_time(x->out, s->times.total ? (double)s->min_ns : 0);
        print_call_time(x->out, (double)s->max_ns);
        for (int q = 0; q < SYSCALLS_QUANTILES; q++)
            print_call_time(x->out, syscall_sum_quantile(s, syscalls_quantiles[q]));
        print_text(x->out, " %8s %s\n", value_text((double)s->bytes, UNIT_BYTES, true, bytes),
                   syscalls_name(s->abi, s->number, name, sizeof name));
    }
    free(list);
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

/* What stands on one side of the rule `waiting`: of a call whose name says that it waits all or
 * nothing, of others those of its calls that waited, or the rest. */
struct call_part {
    const struct syscall_sum *sum;
    uint64_t calls, errors, ns;
};

static struct call_part take_call_part(const struct syscall_sum *s, bool waits)
{
    char name[64];
    const struct call_part all = {s, s->calls, s->errors, s->total_ns};
    const struct call_part waited = {s, s->waits, s->wait_errors, s->wait_ns};
    if (syscall_waits(syscalls_name(s->abi, s->number, name, sizeof name)))
        return waits ? all : (struct call_part){.sum = s};
    if (waits)
        return waited;
    return (struct call_part){s, all.calls - waited.calls, all.errors - waited.errors,
                              all.ns - waited.ns};
}

/* Longest time first; those of equal time in the order of the list of sums. */
static int compare_printed_parts(const void *a, const void *b)
{
    const struct call_part *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    if (x->calls != y->calls)
        return x->calls < y->calls ? 1 : -1;
    return x->sum < y->sum ? -1 : 1;
}

static void print_call_part(const struct syscalls_export *x, const struct call_part *part)
{
    char name[64];
    const struct syscall_sum *s = part->sum;
    const double share = s->total_ns ? (double)part->ns / (double)s->total_ns : 1;
    print_call_sum(x->out, 100 * share * syscall_sums_share(&x->sums, s), (double)part->ns / 1e9,
                   part->calls, part->errors, syscalls_name(s->abi, s->number, name, sizeof name));
}

/* Prints the rows of the calls that wait, below a rule, or of all others. */
static void print_call_sums(const struct syscalls_export *x, bool waits)
{
    struct call_part *parts = xcalloc(x->sums.n + 1, sizeof *parts);
    size_t n = 0;
    for (size_t i = 0; i < x->sums.n; i++) {
        parts[n] = take_call_part(&x->sums.list[i], waits);
        n += parts[n].calls > 0;
    }
    qsort(parts, n, sizeof *parts, compare_printed_parts);
    if (waits && n)
        print_calls_rule(x->out, "waiting --------");
    for (size_t i = 0; i < n; i++)
        print_call_part(x, &parts[i]);
    free(parts);
}

static void print_calls_table(struct syscalls_export *x, const struct tracer_result *result)
{
    const double all = (double)x->sums.total_ns / 1e9;
    fputs("% time     seconds  usecs/call     calls    errors syscall\n", x->out);
    print_calls_rule(x->out, "----------------");
    print_call_sums(x, false);
    print_call_sums(x, true);
    print_calls_rule(x->out, "----------------");
    print_call_sum(x->out, 100, all, x->sums.calls, x->sums.errors, "total");
    if (x->options.extended) {
        print_extended_calls(x);
        print_ways(x->out, result);
    }
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
