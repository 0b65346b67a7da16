#include "tui/views/syscalls/syscalls.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/syscalls/calls.h"
#include "engine/syscalls/decode/decode.h"
#include "engine/syscalls/roles.h"
#include "tui/widgets/page.h"

static const char *in_time(double ns, char out[VALUE_TEXT_MAX])
{
    return isnan(ns) ? "n/a: the trace has no times" : value_time(ns, false, out);
}

static const char *in_bytes(uint64_t n, char out[VALUE_TEXT_MAX])
{
    const struct value v = value_ok((double)n, UNIT_BYTES);
    return value_format(&v, 0, out);
}

static void add_call_classes(struct page *p, const struct syscalls_call_row *r)
{
    static const char *const names[] = {"file", "desc",  "memory", "process", "network", "signal",
                                        "ipc",  "creds", "clock",  "stat",    "pure"};
    char text[128] = "";
    size_t n = 0;
    const unsigned has = syscall_classes(r->abi, r->number);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has >> i & 1 && n + 12 < sizeof text)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%%%s", n ? ", " : "", names[i]);
    if (n)
        page_item(p, "classes", "%s: rooftop trace --calls takes them", text);
    const unsigned role = syscall_duty(r->abi, r->number)->role;
    if (role != ROLE_NONE)
        page_item(p, "role", "%s", syscall_role_name((enum syscall_role)role));
}

static void explain_call(struct page *p, const struct syscalls_call_row *r,
                         const struct syscalls_snapshot *all)
{
    char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX], c[VALUE_TEXT_MAX];
    page_heading(p, r->name);
    add_call_classes(p, r);
    page_item(p, "calls", "%" PRIu64 " returned, of those %" PRIu64 " failed", r->calls, r->errors);
    if (isnan(r->share))
        page_item(p, "time", "%s", in_time(all->has_times ? (double)r->total_ns : NAN, a));
    else
        page_item(p, "time", "%s: %.1f %% of the time in all calls",
                  in_time((double)r->total_ns, a), 100 * r->share);
    page_item(p, "a call", "shortest %s, mean %s, longest %s",
              in_time(all->has_times ? (double)r->min_ns : NAN, a), in_time(r->mean, b),
              in_time(all->has_times ? (double)r->max_ns : NAN, c));
    page_item(p, "percentiles", "50 %%: %s, 90 %%: %s, 99 %%: %s; off by 3 %% at most",
              in_time(r->p50, a), in_time(r->p90, b), in_time(r->p99, c));
    if (r->bytes)
        page_item(p, "bytes", "%s read or written", in_bytes(r->bytes, a));
    page_heading(p, "How it is measured");
    page_text(
        p, STYLE_TEXT,
        "A time is the wall time from the entry of the call to its return, as the tracer sees "
        "it: with ptrace it includes one stop, some microseconds. Calls that wait for "
        "something wait in this time too. Calls of several threads at once are added.");
}

static void explain_process(struct page *p, const struct syscalls_process_row *r)
{
    char a[VALUE_TEXT_MAX], state[64];
    page_heading(p, r->name);
    page_item(p, "pid", "%d, made by %d", (int)r->pid, (int)r->parent);
    page_item(p, "state", "%s", syscalls_process_state(r, state, sizeof state));
    page_item(p, "calls", "%" PRIu64 ", of those %" PRIu64 " failed", r->calls, r->errors);
    page_item(p, "in calls", "%s, all threads together",
              in_time(isnan(r->share) ? NAN : (double)r->ns, a));
    if (r->child_ns)
        page_item(p, "waiting", "%s of that for child processes", in_time((double)r->child_ns, a));
    page_item(p, "threads", "%" PRIu64, r->threads);
    page_item(p, "descriptors", "%" PRIu64 " open, of those that the trace saw", r->open);
    if (r->longest[0])
        page_item(p, "longest call", "%s on a file or socket: %s", r->longest,
                  in_time((double)r->longest_ns, a));
}

static void explain_file(struct page *p, const struct syscalls_file_row *r)
{
    char a[VALUE_TEXT_MAX];
    page_heading(p, r->name);
    page_item(p, "kind", "%s", syscalls_file_kind(r->kind));
    page_item(p, "opened", "%" PRIu32 " time%s; %" PRIu32 " descriptor%s for it now", r->made,
              r->made == 1 ? "" : "s", r->open, r->open == 1 ? " stands" : "s stand");
    page_item(p, "read", "%s in %" PRIu64 " call%s, %" PRIu64 " of them of one byte",
              in_bytes(r->read_bytes, a), r->reads, r->reads == 1 ? "" : "s", r->one_byte_reads);
    page_item(p, "written", "%s in %" PRIu64 " call%s, %" PRIu64 " of them of 64 bytes at most",
              in_bytes(r->write_bytes, a), r->writes, r->writes == 1 ? "" : "s", r->small_writes);
    if (r->syncs)
        page_item(p, "syncs", "%" PRIu64 " calls waited for the disk", r->syncs);
    page_item(p, "time", "%s in calls on it", in_time(isnan(r->share) ? NAN : (double)r->ns, a));
    page_item(p, "processes", "%" PRIu32, r->processes);
    page_heading(p, "Where the name is from");
    page_text(p, STYLE_TEXT,
              "Descriptors are followed through open, dup, pipe, socket, fork and exec. One from "
              "before the trace has the name that /proc gives it when the trace begins; in a "
              "saved trace it is not known, except 0, 1 and 2.");
}

static void add_call_argument(struct page *p, const struct syscall_event *e, unsigned i)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return;
    syscall_write_arg(f, e, i, NULL);
    fclose(f);
    page_item(p, syscall_arg_name(e->abi, e->number, i), "%s", text);
    free(text);
}

static void explain_stack(struct page *p, const struct syscall_stack *stack)
{
    const struct syscall_frame *origin = syscall_stack_maker(stack);
    char text[320];
    if (!stack)
        return;
    page_heading(p, "Where it came from, innermost first");
    for (uint32_t i = 0; i < stack->n; i++) {
        syscall_frame_line(stack->frames[i], text, sizeof text);
        page_text(p, stack->frames[i] == origin ? STYLE_TITLE : STYLE_TEXT, "%s", text);
    }
    if (stack->cut)
        page_text(p, STYLE_DIM, "deeper frames were not kept");
}

static void explain_origin(struct page *p, const struct syscalls_origin_row *r)
{
    char text[320], a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
    page_heading(p, r->name);
    syscalls_origin_text(r, text, sizeof text);
    page_item(p, "made by", "%s", text);
    if (r->origin)
        page_item(p, "code in", "%s", r->origin->module);
    if (r->origin && r->origin->line > 0)
        page_item(p, "source", "%s:%d", r->origin->file, r->origin->line);
    page_item(p, "calls", "%" PRIu64 ", %" PRIu64 " failed", r->calls, r->errors);
    if (!isnan(r->share))
        page_item(p, "time", "%s, %.1f %% of the time in all calls; the longest %s",
                  in_time((double)r->total_ns, a), 100 * r->share, in_time((double)r->max_ns, b));
    page_item(p, "stacks", "%" PRIu32 " different; the one with the most time is below", r->stacks);
    explain_stack(p, r->stack);
}

/* The text after the last " = " of a call's text, which is its result. Addresses are not decimal
 * there. */
static const char *find_result_text(const char *text)
{
    const char *found = text;
    for (const char *p = text; (p = strstr(p, " = ")); p += 3)
        found = p + 3;
    return found;
}

static void explain_event(struct page *p, const struct syscalls_event_row *r)
{
    const struct syscall_event *e = &r->e;
    char text[FIELD_TEXT_MAX], a[VALUE_TEXT_MAX];
    syscalls_event_text(e, text, sizeof text);
    page_heading(p, e->kind == SYSCALL_CALL ? syscall_name(e->abi, e->number) : "event");
    page_text(p, STYLE_TEXT, "%s", text);
    page_text(p, STYLE_TEXT, " ");
    page_item(p, "thread", "%d of process %d%s%s", (int)e->tid, (int)e->pid,
              r->program[0] ? ", " : "", r->program);
    page_item(
        p, "began", "%s after the first call",
        in_time((double)(e->begin_ns - (e->begin_ns < r->begin_ns ? e->begin_ns : r->begin_ns)),
                a));
    if (e->kind != SYSCALL_CALL)
        return;
    if (!(e->flags & (SYSCALL_NO_TIMES | SYSCALL_UNFINISHED)))
        page_item(p, "took", "%s", in_time((double)(e->end_ns - e->begin_ns), a));
    page_heading(p, "Arguments");
    for (unsigned i = 0; i < syscall_nargs(e->abi, e->number); i++)
        if (syscall_arg_name(e->abi, e->number, i) && syscall_arg_shown(e, i))
            add_call_argument(p, e, i);
    page_heading(p, "Result");
    if (syscall_failed(e)) {
        const char *name = syscall_errno_name((int)-e->result);
        const char *what = syscall_errno_text((int)-e->result);
        page_item(p, "error", "%s: %s", name ? name : "unknown", what ? what : "");
    } else if (e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT))
        page_item(p, "result", "it did not return while it was traced");
    else
        page_item(p, "result", "%s", find_result_text(text));
    explain_stack(p, e->stack);
}

static void explain_finding(struct page *p, const struct antipattern_finding *f)
{
    char measure[VALUE_TEXT_MAX], low[VALUE_TEXT_MAX], high[VALUE_TEXT_MAX];
    const enum unit unit = (enum unit)f->rule->unit;
    const struct value m = value_ok(f->measure, unit), l = value_ok(f->rule->low, unit),
                       h = value_ok(f->rule->high, unit);
    page_heading(p, f->rule->title);
    page_text(p, STYLE_TEXT, "%s", f->evidence);
    page_text(p, STYLE_TEXT, " ");
    if (f->pid)
        page_item(p, "about", "%s, process %d", f->subject, (int)f->pid);
    page_item(p, "measured", "%s (%s)", value_format(&m, 0, measure), f->rule->counts);
    page_item(p, "confidence", "%.0f %%: 50 %% at %s, 100 %% from %s on", 100 * f->confidence,
              value_format(&l, 0, low), value_format(&h, 0, high));
    page_item(p, "what to do", "%s", f->rule->remedy);
    page_item(p, "marks from", "%s", f->rule->source);
    page_item(p, "in budgets", "type = \"anti_pattern\", pattern = \"%s\"", f->rule->id);
}

void syscalls_explain(struct page *p, const struct model *m, const struct view_state *st,
                      const char *key)
{
    const struct syscalls_snapshot *all = syscalls_shown(m, st);
    struct syscalls_event_row buf;
    enum syscalls_list list = SYSCALLS_CALLS;
    const void *row = all ? syscalls_find(all, key, &list, &buf) : NULL;
    if (!row)
        page_text(p, STYLE_DIM, "it is not here any more");
    else if (list == SYSCALLS_CALLS)
        explain_call(p, row, all);
    else if (list == SYSCALLS_ORIGINS)
        explain_origin(p, row);
    else if (list == SYSCALLS_PROCESSES)
        explain_process(p, row);
    else if (list == SYSCALLS_FILES)
        explain_file(p, row);
    else if (list == SYSCALLS_EVENTS)
        explain_event(p, row);
    else
        explain_finding(p, row);
}
