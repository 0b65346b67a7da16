/* The summary of what is no profile of a GPU: system calls, bricks. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/bricks/brick_report.h"
#include "engine/summary/summary_impl.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"

enum { MOST = 3 };

/* --- system calls --- */

static const char *say_finding(struct summary *s, const struct antipattern_finding *f)
{
    return arena_printf(&s->memory, "%s, %.0f %% sure: %s", f->rule->title, 100 * f->confidence,
                        f->evidence);
}

static void add_findings(struct summary *s, const struct syscalls_snapshot *p)
{
    if (p->nfindings == 0)
        summary_add(s, (struct summary_line){.label = "verdict",
                                             .text = "no habit that costs time was found",
                                             .how = "Each rule of docs/BUDGETS.md looked at it.",
                                             .more = "syscalls"});
    for (size_t i = 0; i < p->nfindings && i < MOST; i++) {
        const struct antipattern_finding *f = &p->findings[i];
        summary_add(s, (struct summary_line){
                           .label = i == 0 ? "verdict" : "also",
                           .text = say_finding(s, f),
                           .how = arena_printf(&s->memory,
                                               "The measure is %s. What helps: %s. The marks are "
                                               "from: %s",
                                               f->rule->counts, f->rule->remedy, f->rule->source),
                           .more = "syscalls",
                           .tone = i == 0 ? SUMMARY_VERDICT : SUMMARY_PLAIN});
    }
}

static void add_call_sums(struct summary *s, const struct syscalls_snapshot *p, bool ascii)
{
    char time[VALUE_TEXT_MAX];
    const char *in_calls = p->has_times ? arena_printf(&s->memory, ", %s in them",
                                                       value_time((double)p->total_ns, ascii, time))
                                        : ", times were not recorded";
    summary_add(s, (struct summary_line){
                       .label = "calls",
                       .text = arena_printf(
                           &s->memory, "%" PRIu64 ", %s%s; %s, %s", p->count,
                           summary_count(s, p->errors, "error", "errors"), in_calls,
                           summary_count(s, p->all_processes, "process", "processes"),
                           summary_count(s, p->all_files, "file or socket", "files and sockets")),
                       .how = "All system calls of the trace. Times are from entry to return, so "
                              "they include waiting.",
                       .more = "syscalls"});
}

/* The calls that wait, or the others: those with the most time, and of all of them the share. */
static void add_longest_calls(struct summary *s, const struct syscalls_snapshot *p, bool waiting,
                              bool ascii)
{
    static const char cost[] = "The calls with the most time, without those that only wait for a "
                               "descriptor, a child, a lock or a time.";
    static const char wait[] = "Calls that return when something else has happened. What is waited "
                               "for is the cost, not the call.";
    char total[VALUE_TEXT_MAX], mean[VALUE_TEXT_MAX];
    int n = 0;
    for (size_t i = 0; p->has_times && i < p->ncalls && n < MOST; i++) {
        const struct syscalls_call_row *r = &p->calls[i];
        if (r->waits != waiting)
            continue;
        const char *label = waiting ? "waits" : "most time";
        summary_add(s, (struct summary_line){
                           .label = n++ ? "" : label,
                           .text = arena_printf(
                               &s->memory, "%s %s, %.1f %% of the time in calls: %s, %s each",
                               r->name, value_time((double)r->total_ns, ascii, total),
                               100 * r->share, summary_count(s, r->calls, "call", "calls"),
                               value_time(r->mean, ascii, mean)),
                           .how = waiting ? wait : cost,
                           .name = arena_strdup(&s->memory, r->name),
                           .more = "syscalls"});
    }
}

/* The calls that failed most often. */
static void add_failing_calls(struct summary *s, const struct syscalls_snapshot *p)
{
    const struct syscalls_call_row *most[MOST] = {NULL};
    for (size_t i = 0; i < p->ncalls; i++) {
        const struct syscalls_call_row *r = &p->calls[i];
        for (int k = 0; k < MOST && r && r->errors; k++)
            if (!most[k] || r->errors > most[k]->errors) {
                const struct syscalls_call_row *below = most[k];
                most[k] = r;
                r = below;
            }
    }
    const char *all = "";
    for (int k = 0; k < MOST && most[k]; k++)
        all = arena_printf(&s->memory, "%s%s%s %" PRIu64 " of %" PRIu64, all, *all ? ", " : "",
                           most[k]->name, most[k]->errors, most[k]->calls);
    if (*all)
        summary_say(s, "errors", "syscalls", "The calls that failed most often.", "%s", all);
}

void summary_add_calls(struct summary *s, const struct syscalls_snapshot *p, bool ascii)
{
    add_findings(s, p);
    add_call_sums(s, p, ascii);
    add_longest_calls(s, p, false, ascii);
    add_longest_calls(s, p, true, ascii);
    add_failing_calls(s, p);
}

/* --- bricks --- */

/* The share of its roof that a brick reaches, of its points the one with the most time; NaN. */
static double find_share_of_roof(const struct roofline *r, const char *name)
{
    for (uint32_t i = 0; i < r->npoints; i++)
        if (strcmp(r->points[i].name, name) == 0 && !isnan(r->points[i].distance))
            return 1 - r->points[i].distance;
    return NAN;
}

void summary_add_bricks(struct summary *s, const struct analysis *a, bool ascii)
{
    struct brick_report report;
    char own[VALUE_TEXT_MAX], mean[VALUE_TEXT_MAX];
    if (!a->bricks.tree)
        return;
    brick_report_make(&report, &s->memory, a->bricks.tree, false);
    for (uint32_t i = 0; i < report.nrows && i < MOST && report.rows[i].kind == NODE_BRICK; i++) {
        const struct brick_row *r = &report.rows[i];
        const double roof = find_share_of_roof(&a->bricks.roofline, r->name);
        summary_add(
            s, (struct summary_line){
                   .label = i == 0 ? "bricks" : "",
                   .text = arena_printf(
                       &s->memory, "%s %s, %.1f %% of the time, %s each%s%s", r->name,
                       value_time((double)r->own, ascii, own),
                       summary_percent(r->own, report.total), value_time(r->mean, ascii, mean),
                       isnan(roof) ? ""
                                   : arena_printf(&s->memory, ", %.0f %% of its roof", 100 * roof),
                       r->over_budget ? ", over its budget" : ""),
                   .how = "The bricks with the most time, without the bricks inside them.",
                   .name = r->name,
                   .more = "tree"});
    }
}
