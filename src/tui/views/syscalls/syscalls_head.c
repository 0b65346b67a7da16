/* What stands above and below the lists: how it is traced, rates over time, anti-patterns. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tui/views/syscalls/syscalls.h"
#include "tui/widgets/area.h"
#include "tui/widgets/wrap.h"

enum { GRAPH_ROWS = 5, GRAPHS_FROM = 18, SAMPLES = 512, GAP = 2, GRAPH_LEAST = 44 };

/* --- how --- */

/* The ways in which the calls of a saved trace were seen. */
static const char *write_seen_ways(const struct syscalls_snapshot *p, char *out, size_t size)
{
    static const char *const names[SYSCALL_WAYS] = {"ptrace", "seccomp", "notify",   "perf",
                                                    "BPF",    "patch",   "dispatch", NULL};
    size_t n = 0;
    if (p->by[0])
        return p->by;
    out[0] = '\0';
    for (int i = 0; i < SYSCALL_WAYS; i++)
        if (p->by_way[i] && names[i] && n + 12 < size)
            n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", names[i]);
    return out;
}

static void state_line(struct canvas *c, struct rect r, const struct syscalls_snapshot *p)
{
    char time[VALUE_TEXT_MAX], by[96], text[360], lost[64] = "", waiting[48] = "";
    const char *how = p->state == SYSCALLS_FAILED ? "" : write_seen_ways(p, by, sizeof by);
    if (p->lost)
        snprintf(lost, sizeof lost, ", %" PRIu64 " LOST", p->lost);
    if (p->has_times && p->waiting_ns)
        snprintf(waiting, sizeof waiting, ", %s waiting",
                 value_time((double)p->waiting_ns, c->ascii, time));
    snprintf(text, sizeof text, "%s%s%s · %" PRIu64 " call%s, %" PRIu64 " error%s%s%s%s%s%s",
             syscalls_state_name(p->state), *how ? " by " : "", how, p->count,
             p->count == 1 ? "" : "s", p->errors, p->errors == 1 ? "" : "s", lost,
             p->has_times ? " · " : "",
             p->has_times ? value_time((double)p->total_ns, c->ascii, time) : "",
             p->has_times ? " in calls" : "", waiting);
    enum style_role role = p->state == SYSCALLS_TRACING ? STYLE_TITLE : STYLE_TEXT;
    if (p->lost)
        role = STYLE_CRIT;
    canvas_text(c, r.x, r.y, r.w, text, STYLE(role));
}

/* The most important thing to know about the trace; "" if there is none. */
static enum style_role write_trace_remark(const struct syscalls_snapshot *p, bool held, char *out,
                                          size_t size)
{
    out[0] = '\0';
    if (p->state == SYSCALLS_FAILED) {
        snprintf(out, size, "%s", p->why);
        return STYLE_CRIT;
    }
    if (p->notes[0][0]) {
        snprintf(out, size, "%s", p->notes[0]);
        return STYLE_WARN;
    }
    if (p->rings && !p->operations) {
        snprintf(out, size,
                 "io_uring is used: %" PRIu64 " ring%s, whose operations are not seen; "
                 "--by bpf may show them",
                 p->rings, p->rings == 1 ? "" : "s");
        return STYLE_WARN;
    }
    if (p->full) {
        snprintf(out, size,
                 "the limit of memory is reached: later processes and files are not listed;"
                 " calls are still counted");
        return STYLE_WARN;
    }
    if (held && syscalls_snapshot_goes_on(p)) {
        snprintf(out, size, "stands still while a call is chosen; g: the newest again");
        return STYLE_TITLE;
    }
    char key[16];
    view_key("syscalls", key);
    if (syscalls_snapshot_goes_on(p)) {
        char cpu[48] = "";
        if (!isnan(p->tracer_cpu))
            snprintf(cpu, sizeof cpu, " (tracer: %.0f %% of a CPU)", 100 * p->tracer_cpu);
        snprintf(out, size, "tracing slows the program down%s; %s ends the trace", cpu, key);
    } else if (p->state == SYSCALLS_STOPPED)
        snprintf(out, size, "the trace has ended and the program runs on; %s traces it again", key);
    else if (p->tail.first)
        snprintf(out, size, "only the last %" PRIu64 " single calls are kept", p->tail.n);
    return STYLE_DIM;
}

/* --- rates --- */

struct rate_graph {
    const char *title;
    const uint64_t *counts;
    enum unit unit;
    enum style_role role;
};

static void draw_rate_graph(struct canvas *c, struct rect r, const struct syscalls_snapshot *p,
                            const struct rate_graph *g)
{
    float v[SAMPLES];
    size_t n = area_samples(r) < SAMPLES ? area_samples(r) : SAMPLES;
    char now[VALUE_TEXT_MAX];
    const struct syscalls_rates *rates = &p->rates;
    syscalls_rates_fill(rates, g->counts, v, n);
    const struct value last = value_ok(syscalls_rate_now(p, g->counts), g->unit);
    int used = canvas_text(c, r.x, r.y, r.w, g->title, STYLE(STYLE_HEADING));
    if (syscalls_snapshot_goes_on(p))
        canvas_text(c, r.x + used + 1, r.y, r.w - used - 1, value_format(&last, c->ascii, now),
                    STYLE(STYLE_TEXT));
    const struct area a = {.v = v,
                           .n = n,
                           .unit = g->unit,
                           .role = g->role,
                           .span_s = (double)(rates->n * rates->width_ns) / 1e9,
                           .end = syscalls_snapshot_goes_on(p) ? NULL : "end"};
    area_draw(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1}, &a);
}

/* Draws as many graphs side by side as fit. Returns the rows used. */
static int draw_rate_graphs(struct canvas *c, struct rect r, const struct syscalls_snapshot *p)
{
    const struct rate_graph graphs[] = {
        {"calls", p->rates.calls, UNIT_COUNT_PER_S, STYLE_GRAD_CPU},
        {"read and written", p->rates.bytes, UNIT_BYTES_PER_S, STYLE_GRAD_DOWN},
        {"errors", p->rates.errors, UNIT_COUNT_PER_S, STYLE_GRAD_TEMP},
    };
    int n = r.w / GRAPH_LEAST; /* how many fit */
    if (n < 1)
        n = 1;
    else if (n > 3)
        n = 3;
    const int w = (r.w - GAP * (n - 1)) / n;
    if (!p->rates.width_ns || !p->has_times)
        return 0;
    for (int i = 0; i < n; i++)
        draw_rate_graph(c, (struct rect){r.x + i * (w + GAP), r.y, w, GRAPH_ROWS}, p, &graphs[i]);
    return GRAPH_ROWS;
}

int syscalls_head_draw(struct canvas *c, struct rect r, const struct syscalls_snapshot *p,
                       bool held)
{
    char text[640];
    const enum style_role role = write_trace_remark(p, held, text, sizeof text);
    int used = 1;
    state_line(c, r, p);
    if (text[0])
        used += wrap_draw(c, (struct rect){r.x, r.y + 1, r.w, r.h > 12 ? 3 : 1}, text, STYLE(role));
    if (r.h >= GRAPHS_FROM)
        used += draw_rate_graphs(c, (struct rect){r.x, r.y + used, r.w, GRAPH_ROWS}, p);
    return used;
}

/* --- anti-patterns --- */

int syscalls_findings_rows(const struct syscalls_snapshot *p, int height)
{
    int most = height / 5;
    if (height < 10)
        most = 0;
    else if (height < 20)
        most = 2;
    const int n = (int)p->nfindings < most ? (int)p->nfindings : most;
    return n ? 1 + n : 0;
}

void syscalls_findings_draw(struct canvas *c, struct rect r, const struct syscalls_snapshot *p)
{
    char title[96];
    const size_t shown = (size_t)r.h - 1;
    snprintf(title, sizeof title, "ANTI-PATTERNS%s",
             shown < p->nfindings ? " (m: all of them)" : "");
    canvas_heading(c, r.x, r.y, r.w, title, STYLE(STYLE_HEADING));
    for (size_t i = 0; i < shown; i++) {
        const struct antipattern_finding *f = &p->findings[i];
        const bool sure = f->confidence >= ANTIPATTERN_THRESHOLD;
        int x = r.x, y = r.y + 1 + (int)i;
        x += canvas_printf(c, x, y, r.w, STYLE(sure ? STYLE_WARN : STYLE_DIM),
                           "%3.0f %% %s: ", 100 * f->confidence, f->rule->title);
        canvas_text(c, x, y, r.x + r.w - x, f->evidence, STYLE(sure ? STYLE_TEXT : STYLE_DIM));
    }
}

int syscalls_finding_draw(struct canvas *c, struct rect r, const struct antipattern_finding *f)
{
    int used = 1;
    canvas_heading(c, r.x, r.y, r.w, f->rule->title, STYLE(STYLE_HEADING));
    used += wrap_draw(c, (struct rect){r.x, r.y + used, r.w, r.h - used}, f->evidence,
                      STYLE(STYLE_TEXT));
    if (used < r.h)
        used += wrap_draw(c, (struct rect){r.x, r.y + used, r.w, r.h - used}, f->rule->remedy,
                          STYLE(STYLE_OK));
    return used;
}

/* --- one event --- */

void syscalls_event_draw(struct canvas *c, struct rect r, const struct syscalls_event_row *row)
{
    char title[128], text[FIELD_TEXT_MAX], time[VALUE_TEXT_MAX], took[64] = "";
    const struct syscall_event *e = &row->e;
    if (e->kind == SYSCALL_CALL && !(e->flags & (SYSCALL_NO_TIMES | SYSCALL_UNFINISHED)))
        snprintf(took, sizeof took, ", took %s",
                 value_time((double)(e->end_ns - e->begin_ns), c->ascii, time));
    snprintf(title, sizeof title, "%s%sprocess %d, thread %d, at %.6f s%s", row->program,
             row->program[0] ? ", " : "", (int)e->pid, (int)e->tid,
             (double)(e->begin_ns > row->begin_ns ? e->begin_ns - row->begin_ns : 0) / 1e9, took);
    canvas_heading(c, r.x, r.y, r.w, title, STYLE(STYLE_HEADING));
    syscalls_event_text(e, text, sizeof text);
    const int used =
        1 + wrap_draw(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1}, text, STYLE(STYLE_TEXT));
    syscalls_stack_draw(c, (struct rect){r.x, r.y + used, r.w, r.h - used}, e->stack);
}
