/* The kinds of budgets: their fields, what they measure, and how. The first part has the kinds of
 * renacer.toml (both schemas). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/print.h"
#include "base/words.h"
#include "engine/budgets/budgets_impl.h"
#include "engine/syscalls/calls.h"

static void set_budget_unknown(struct budget_verdict *out, const char *why)
{
    out->state = BUDGET_UNKNOWN;
    snprintf(out->why, sizeof out->why, "%s", why);
}

/* Notes in the verdict that a pattern matched nothing, which may be a typing error. */
static void tell_unmatched(const struct budget *b, struct budget_verdict *out, bool matched,
                           const char *what)
{
    if (b->pattern && !matched)
        snprintf(out->why, sizeof out->why, "no %s of the run matches the pattern", what);
}

static bool is_meant(const struct budget *b, const struct syscall_sum *s)
{
    const char *name = syscall_name(s->abi, s->number);
    return (!b->names || words_have(b->names, name)) && budget_matches(b, name);
}

/* Sets "where" to the call with the largest amount. */
static void name_call(struct budget_verdict *out, const struct syscall_sum *s)
{
    char time[VALUE_TEXT_MAX];
    if (s)
        print_line(out->where, sizeof out->where, "%s: %" PRIu64 " calls, %s",
                   syscall_name(s->abi, s->number), s->calls,
                   value_time((double)s->total_ns, true, time));
}

/* The longest time of a process without a known maker: from its first event to the last event of it
 * and its descendants. A process whose start is unknown counts as made by the first process. */
static uint64_t longest_chain(const struct run_facts *f)
{
    uint32_t *root = xcalloc(f->nprocesses + 1, sizeof *root);
    uint64_t *end = xcalloc(f->nprocesses + 1, sizeof *end), longest = 0;
    for (uint32_t i = 0; f->processes && i < f->nprocesses; i++) {
        const struct process_fact *p = &f->processes[i];
        if (p->maker < i)
            root[i] = root[p->maker];
        else
            root[i] = p->started ? i : 0;
        if (p->end_ns > end[root[i]])
            end[root[i]] = p->end_ns;
    }
    for (uint32_t i = 0; f->processes && i < f->nprocesses; i++) {
        const uint64_t begin = f->processes[i].begin_ns;
        if (root[i] == i && end[i] > begin && end[i] - begin > longest)
            longest = end[i] - begin;
    }
    free(root);
    free(end);
    return longest;
}

static void critical_path(const struct budget *b, const struct budget_run *run,
                          struct budget_verdict *out)
{
    const struct run_facts *f = run->facts;
    const struct process_fact *longest = NULL;
    for (size_t i = 0; i < f->nprocesses; i++) {
        const struct process_fact *p = &f->processes[i];
        if (budget_matches(b, p->name) &&
            (!longest || p->end_ns - p->begin_ns > longest->end_ns - longest->begin_ns))
            longest = p;
    }
    out->measured = longest ? (double)(longest->end_ns - longest->begin_ns) / 1e9 : 0;
    tell_unmatched(b, out, longest, "process");
    if (!b->pattern)
        out->measured = (double)longest_chain(f) / 1e9;
    char ran[VALUE_TEXT_MAX], called[VALUE_TEXT_MAX];
    if (longest)
        print_line(out->where, sizeof out->where,
                   "%s (pid %" PRId32 ") ran for %s, %s of it in system calls", longest->name,
                   longest->pid,
                   value_time((double)(longest->end_ns - longest->begin_ns), true, ran),
                   value_time((double)longest->call_ns, true, called));
}

static void anti_pattern(const struct budget *b, const struct budget_run *run,
                         struct budget_verdict *out)
{
    struct antipattern_finding found;
    antipattern_look(b->rule, run->facts, &found);
    if (run->gpu && antipattern_of_transfers(b->rule))
        antipattern_transfers(run->gpu, &found);
    bool meant = budget_matches(b, found.subject);
    out->measured = meant ? found.confidence : 0;
    out->limit = b->threshold;
    out->help = b->rule->remedy;
    if (out->measured > 0)
        snprintf(out->where, sizeof out->where, "%s", found.evidence);
}

static void span_count(const struct budget *b, const struct budget_run *run,
                       struct budget_verdict *out)
{
    const struct syscall_sum *top = NULL;
    const struct syscall_sums *sums = &run->facts->sums;
    for (size_t i = 0; i < sums->n; i++) {
        if (!is_meant(b, &sums->list[i]))
            continue;
        out->measured += (double)sums->list[i].calls;
        if (!top || sums->list[i].calls > top->calls)
            top = &sums->list[i];
    }
    name_call(out, top);
}

static void memory_usage(const struct budget *b, const struct budget_run *run,
                         struct budget_verdict *out)
{
    const struct run_facts *f = run->facts;
    const struct process_fact *top = NULL;
    bool resident = b->choice && strcmp(b->choice, "rss") == 0;
    for (size_t i = 0; i < f->nprocesses; i++) {
        const struct process_fact *p = &f->processes[i];
        uint64_t v = resident ? p->resident_peak : p->mapped_peak;
        if (!top || v > (resident ? top->resident_peak : top->mapped_peak))
            top = p;
    }
    if (!resident)
        out->measured = (double)f->mapped_peak;
    else
        out->measured = top ? (double)top->resident_peak : 0;
    if (top)
        print_line(out->where, sizeof out->where, "%s (pid %" PRId32 ") has the largest part",
                   top->name, top->pid);
}

static void measure_custom_budget(const struct budget *b, const struct budget_run *run,
                                  struct budget_verdict *out)
{
    bool holds = false;
    struct error err = ERROR_INIT;
    if (budget_expression(b->expression, run, &holds, &err) != 0)
        set_budget_unknown(out, err.why);
    out->measured = holds;
    out->too_little = true;
    out->limit = 1;
    print_line(out->where, sizeof out->where, "%s", b->expression);
}

static void syscall_percentage(const struct budget *b, const struct budget_run *run,
                               struct budget_verdict *out)
{
    const struct syscall_sums *sums = &run->facts->sums;
    uint64_t ns = 0;
    if (sums->total_ns == 0) {
        set_budget_unknown(out, "the trace has no times");
        return;
    }
    for (size_t i = 0; i < sums->n; i++)
        if (is_meant(b, &sums->list[i]) && sums->list[i].abi != SYSCALL_URING)
            ns += sums->list[i].total_ns;
    out->measured = 100.0 * (double)ns / (double)sums->total_ns;
    char some[VALUE_TEXT_MAX], all[VALUE_TEXT_MAX];
    print_line(out->where, sizeof out->where, "%s of %s in system calls",
               value_time((double)ns, true, some), value_time((double)sums->total_ns, true, all));
}

static void run_time(const struct budget *b, const struct budget_run *run,
                     struct budget_verdict *out)
{
    (void)b;
    const struct run_facts *f = run->facts;
    uint64_t ns = run->wall_ns ? run->wall_ns : f->end_ns - f->begin_ns;
    out->measured = (double)ns / 1e9;
    const struct syscall_sum *top = NULL;
    for (size_t i = 0; i < f->sums.n; i++)
        if (!top || f->sums.list[i].total_ns > top->total_ns)
            top = &f->sums.list[i];
    name_call(out, top);
}

static void io_bytes(const struct budget *b, const struct budget_run *run,
                     struct budget_verdict *out)
{
    const struct run_facts *f = run->facts;
    const struct use_fact *top = NULL;
    const char *way = b->choice ? b->choice : "both";
    uint64_t top_bytes = 0;
    bool matched = false;
    for (size_t i = 0; i < f->nuses; i++) {
        const struct use_fact *u = &f->uses[i];
        if (!budget_matches(b, descriptors_at(f->descriptors, u->object)->name))
            continue;
        matched = true;
        uint64_t bytes = (strcmp(way, "write") != 0 ? u->read_bytes : 0) +
                         (strcmp(way, "read") != 0 ? u->write_bytes : 0);
        out->measured += (double)bytes;
        if (bytes > top_bytes) {
            top = u;
            top_bytes = bytes;
        }
    }
    tell_unmatched(b, out, matched, "file, pipe or socket");
    if (top)
        print_line(out->where, sizeof out->where, "%s: %" PRIu64 " bytes",
                   descriptors_at(f->descriptors, top->object)->name, top_bytes);
}

static void measure_latency_budget(const struct budget *b, const struct budget_run *run,
                                   struct budget_verdict *out)
{
    struct histogram all = {0};
    const struct syscall_sum *slowest = NULL;
    double shortest = INFINITY;
    const struct syscall_sums *sums = &run->facts->sums;
    for (size_t i = 0; i < sums->n; i++) {
        if (!is_meant(b, &sums->list[i]))
            continue;
        histogram_add(&all, &sums->list[i].times);
        shortest = fmin(shortest, (double)sums->list[i].min_ns);
        if (!slowest || sums->list[i].max_ns > slowest->max_ns)
            slowest = &sums->list[i];
    }
    if (slowest && b->percentile >= 100)
        out->measured = (double)slowest->max_ns / 1e9;
    else if (slowest)
        out->measured = histogram_quantile_within(&all, b->percentile / 100, shortest,
                                                  (double)slowest->max_ns) /
                        1e9;
    char time[VALUE_TEXT_MAX];
    if (slowest)
        print_line(out->where, sizeof out->where, "slowest: %s, %s",
                   syscall_name(slowest->abi, slowest->number),
                   value_time((double)slowest->max_ns, true, time));
    histogram_free(&all);
}

static void measure_process_budget(const struct budget *b, const struct budget_run *run,
                                   struct budget_verdict *out)
{
    const struct program_fact *top = NULL;
    for (size_t i = 0; i < run->facts->nprograms; i++) {
        const struct program_fact *p = &run->facts->programs[i];
        if (!budget_matches(b, p->name))
            continue;
        out->measured += (double)p->processes;
        if (!top || p->processes > top->processes)
            top = p;
    }
    tell_unmatched(b, out, top, "process");
    if (top)
        print_line(out->where, sizeof out->where, "%s: %" PRIu64 " processes", top->name,
                   top->processes);
}

static void files_opened(const struct budget *b, const struct budget_run *run,
                         struct budget_verdict *out)
{
    const struct descriptors *d = run->facts->descriptors;
    const struct descriptor_object *top = NULL;
    for (size_t i = 0; i < descriptors_count(d); i++) {
        const struct descriptor_object *o = descriptors_at(d, i);
        if (o->kind != DESCRIPTOR_FILE || !budget_matches(b, o->name))
            continue;
        out->measured += o->made;
        if (!top || o->made > top->made)
            top = o;
    }
    tell_unmatched(b, out, top, "file");
    if (top)
        print_line(out->where, sizeof out->where, "%s: %" PRIu32 " times", top->name, top->made);
}

static void syscall_errors(const struct budget *b, const struct budget_run *run,
                           struct budget_verdict *out)
{
    const struct syscall_sum *top = NULL;
    const struct syscall_sums *sums = &run->facts->sums;
    for (size_t i = 0; i < sums->n; i++) {
        if (!is_meant(b, &sums->list[i]))
            continue;
        out->measured += (double)sums->list[i].errors;
        if (!top || sums->list[i].errors > top->errors)
            top = &sums->list[i];
    }
    if (top && top->errors)
        print_line(out->where, sizeof out->where, "%s: %" PRIu64 " of %" PRIu64 " calls failed",
                   syscall_name(top->abi, top->number), top->errors, top->calls);
}

static void measure_exit_budget(const struct budget *b, const struct budget_run *run,
                                struct budget_verdict *out)
{
    (void)b;
    bool killed = WIFSIGNALED(run->status);
    out->measured = killed ? 128 + WTERMSIG(run->status) : WEXITSTATUS(run->status);
    if (killed)
        print_line(out->where, sizeof out->where, "%s was killed by %s",
                   run->program ? run->program : "the program",
                   syscall_signal_name(WTERMSIG(run->status))
                       ? syscall_signal_name(WTERMSIG(run->status))
                       : "a signal");
}

#define AT(field) offsetof(struct budget, field)
#define FEWER_CALLS                                                                                \
    "see which call grew with rooftop trace -c, and where it comes from with rooftop trace "       \
    "--stack"
#define LESS_TIME "see where the time goes: rooftop trace -c, rooftop report path, rooftop record"

#define PATTERN(key)                                                                               \
    {                                                                                              \
        key, FIELD_REGEX, false, AT(pattern), 0, 0, 0, NULL                                        \
    }
#define CALLS(key, needed)                                                                         \
    {                                                                                              \
        key, FIELD_CALLS, needed, AT(names), 0, 0, 0, NULL                                         \
    }
#define MOST(key, type, scale)                                                                     \
    {                                                                                              \
        key, type, true, AT(most), scale, 0, 1e18, NULL                                            \
    }
#define END                                                                                        \
    {                                                                                              \
        NULL, 0, false, 0, 0, 0, 0, NULL                                                           \
    }

const struct budget_kind budget_kinds[] = {
    {"critical_path",
     "",
     UNIT_SECONDS,
     NEEDS_CALLS | NEEDS_WALL,
     LESS_TIME,
     critical_path,
     {MOST("max_duration_ms", FIELD_NUMBER, 1e-3), PATTERN("trace_name_pattern"), END}},
    {"anti_pattern",
     "",
     UNIT_NONE,
     0,
     NULL,
     anti_pattern,
     {{"pattern", FIELD_RULE, true, AT(rule), 0, 0, 0, NULL},
      {"threshold", FIELD_NUMBER, false, AT(threshold), 0, 0, 1, NULL},
      PATTERN("process_name_pattern"),
      END}},
    {"span_count",
     "",
     UNIT_COUNT,
     NEEDS_CALLS,
     FEWER_CALLS,
     span_count,
     {MOST("max_spans", FIELD_WHOLE, 1), PATTERN("span_name_pattern"), END}},
    {"memory_usage",
     "",
     UNIT_BYTES,
     NEEDS_CALLS,
     "see which process grew: rooftop trace --calls %memory",
     memory_usage,
     {MOST("max_bytes", FIELD_WHOLE, 1),
      {"tracking_mode", FIELD_CHOICE, false, AT(choice), 0, 0, 0, "allocations|rss"},
      END}},
    {"custom",
     "",
     UNIT_NONE,
     0,
     "docs/BUDGETS.md lists the names that an expression may use",
     measure_custom_budget,
     {{"expression", FIELD_TEXT, true, AT(expression), 0, 0, 0, NULL}, END}},
    {"syscall_percentage",
     "ratio",
     UNIT_PERCENT,
     NEEDS_CALLS | NEEDS_TIMES,
     FEWER_CALLS,
     syscall_percentage,
     {CALLS("syscall", false), CALLS("syscalls", false), MOST("max_percentage", FIELD_NUMBER, 1),
      END}},
    {"syscall_count",
     "",
     UNIT_COUNT,
     NEEDS_CALLS,
     FEWER_CALLS,
     span_count,
     {CALLS("syscall", false),
      CALLS("syscalls", false),
      {"max_count", FIELD_WHOLE, false, AT(most), 1, 0, 1e18, NULL},
      {"min_count", FIELD_WHOLE, false, AT(least), 1, 0, 1e18, NULL},
      END}},
    {"total_time",
     "",
     UNIT_SECONDS,
     NEEDS_WALL,
     LESS_TIME,
     run_time,
     {MOST("max_time_ms", FIELD_NUMBER, 1e-3), END}},
    {"min_time",
     "",
     UNIT_SECONDS,
     NEEDS_WALL,
     "a run this short did not do its work: look at its output and exit status",
     run_time,
     {{"min_time_ms", FIELD_NUMBER, true, AT(least), 1e-3, 0, 1e18, NULL}, END}},
    {"io_bytes",
     "",
     UNIT_BYTES,
     NEEDS_CALLS,
     "see which file or socket: rooftop trace -c, by file",
     io_bytes,
     {MOST("max_bytes", FIELD_WHOLE, 1),
      {"direction", FIELD_CHOICE, false, AT(choice), 0, 0, 0, "read|write|both"},
      PATTERN("path_pattern"),
      END}},
    {"latency",
     "",
     UNIT_SECONDS,
     NEEDS_CALLS | NEEDS_TIMES,
     LESS_TIME,
     measure_latency_budget,
     {CALLS("syscall", false),
      CALLS("syscalls", false),
      MOST("max_ms", FIELD_NUMBER, 1e-3),
      {"percentile", FIELD_NUMBER, false, AT(percentile), 0, 0, 100, NULL},
      END}},
    {"processes",
     "",
     UNIT_COUNT,
     NEEDS_CALLS,
     "see who starts them: rooftop report tree of the trace",
     measure_process_budget,
     {MOST("max_count", FIELD_WHOLE, 1), PATTERN("process_name_pattern"), END}},
    {"files_opened",
     "",
     UNIT_COUNT,
     NEEDS_CALLS,
     "see which: rooftop trace --calls openat",
     files_opened,
     {MOST("max_count", FIELD_WHOLE, 1), PATTERN("path_pattern"), END}},
    {"syscall_errors",
     "",
     UNIT_COUNT,
     NEEDS_CALLS,
     "see which: rooftop trace -c",
     syscall_errors,
     {CALLS("syscall", false), CALLS("syscalls", false), MOST("max_count", FIELD_WHOLE, 1), END}},
    {"time_regression",
     "",
     UNIT_PERCENT,
     NEEDS_CALLS | NEEDS_WALL,
     "see which calls grew: rooftop trace -c, rooftop check golden diff",
     budget_time_regression,
     {MOST("max_percent", FIELD_NUMBER, 1), END}},
    {"syscall_regression",
     "",
     UNIT_PERCENT,
     NEEDS_CALLS,
     "see which calls grew: rooftop trace -c, rooftop check golden diff",
     budget_call_regression,
     {MOST("max_percent", FIELD_NUMBER, 1), END}},
    {"exit_status",
     "",
     UNIT_COUNT,
     NEEDS_END,
     "look at the command's own output",
     measure_exit_budget,
     {{"status", FIELD_WHOLE, true, AT(most), 1, 0, 255, NULL}, END}},
};
const size_t budget_kinds_count = sizeof budget_kinds / sizeof *budget_kinds;
const struct budget_kind *const budget_kind_exit =
    &budget_kinds[sizeof budget_kinds / sizeof *budget_kinds - 1];

const struct budget_kind *budget_kind_find(const char *name)
{
    for (size_t i = 0; i < budget_kinds_count; i++)
        if (strcmp(budget_kinds[i].name, name) == 0 || words_have(budget_kinds[i].aliases, name))
            return &budget_kinds[i];
    return NULL;
}

const char *budget_name_of(const struct budget_kind *kind)
{
    return kind->name;
}
