/* Threads, page faults and system calls of what is watched: a line, or a box. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "tui/views/watched/watched.h"

enum { CALLS_TEXT = 256, MOST_CALLED = 3 };

/* Why no calls are known, and what would make them known. */
static const char *say_no_calls(const struct model *m)
{
    if (m->playback)
        return "not recorded";
    if (m->snap && m->snap->target_gone)
        return "not traced: rooftop trace counts those of a new run";
    return m->readonly ? "not traced (--readonly)" : "not traced: Y traces them";
}

static double seconds_traced(const struct syscalls_snapshot *p)
{
    return p->end_ns > p->begin_ns ? (double)(p->end_ns - p->begin_ns) / 1e9 : 0;
}

/* The calls per second, and the most frequent ones. */
static void write_calls(const struct model *m, bool ascii, char *out, size_t size)
{
    const struct syscalls_snapshot *p = m->syscalls;
    const double seconds = p ? seconds_traced(p) : 0;
    char rate[VALUE_TEXT_MAX];
    size_t n = 0;
    if (!p || p->count == 0 || seconds <= 0) {
        snprintf(out, size, "%s", p ? "traced, none yet" : say_no_calls(m));
        return;
    }
    const struct value v = value_ok((double)p->count / seconds, UNIT_COUNT_PER_S);
    n += (size_t)snprintf(out, size, "%s", value_format(&v, ascii, rate));
    for (size_t i = 0; i < p->ncalls && i < MOST_CALLED && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s %s %.0f %%", i ? "," : ":", p->calls[i].name,
                              100.0 * (double)p->calls[i].calls / (double)p->count);
}

static void write_faults(const struct target_use *u, bool ascii, char *out, size_t size)
{
    char all[VALUE_TEXT_MAX], disk[VALUE_TEXT_MAX];
    value_format(&u->fault_rate, ascii, all);
    if (u->fault_rate.validity != VALUE_OK)
        snprintf(out, size, "%s", all);
    else if (u->major_fault_rate.v > 0)
        snprintf(out, size, "%s, from disk %s", all,
                 value_format(&u->major_fault_rate, ascii, disk));
    else
        snprintf(out, size, "%s, none from disk", all);
}

static int draw_labelled(struct canvas *c, int x, int y, int end, const char *label,
                         const char *text)
{
    x += canvas_text(c, x, y, end - x, label, STYLE(STYLE_DIM)) + 1;
    return x + canvas_text(c, x, y, end - x, text, STYLE(STYLE_TEXT)) + 3;
}

void watched_calls(struct canvas *c, struct rect r, const struct model *m)
{
    char faults[CALLS_TEXT], calls[CALLS_TEXT], threads[24];
    if (r.h == 0)
        return;
    if (!m->snap) {
        canvas_text(c, r.x + 1, r.y, r.w - 2, "…", STYLE(STYLE_DIM));
        return;
    }
    write_faults(&m->snap->use, c->ascii, faults, sizeof faults);
    write_calls(m, c->ascii, calls, sizeof calls);
    const struct metric *counted = snapshot_metric(m->snap, "fault_rate");
    const int end = r.x + r.w - 1;
    int x = r.x + 1;
    if (m->snap->use.processes) {
        snprintf(threads, sizeof threads, "%" PRIu64, m->snap->use.threads);
        x = draw_labelled(c, x, r.y, end, "threads", threads);
    }
    if (!counted || counted->value.validity == VALUE_MISSING) /* else it is a key number */
        x = draw_labelled(c, x, r.y, end, "page faults", faults);
    draw_labelled(c, x, r.y, end, "calls", calls);
    canvas_zone(c, (struct rect){x, r.y, 5, 1}, ACTION_EXPAND, WATCHED_CALLS + 1);
}

void watched_calls_tall(struct canvas *c, struct rect r, const struct model *m)
{
    char all[CALLS_TEXT], mean[VALUE_TEXT_MAX];
    struct rect in = {r.x + 2, r.y + 1, r.w - 4, r.h - 2};
    view_box_draw(c, r, STYLE_BOX_CPU, &watched_boxes[WATCHED_CALLS], WATCHED_CALLS, "calls",
                  "Esc back  Y all about them");
    write_calls(m, c->ascii, all, sizeof all);
    canvas_text(c, in.x, in.y, in.w, all, STYLE(STYLE_TITLE));
    for (size_t i = 0; m->syscalls && i < m->syscalls->ncalls && (int)i + 2 < in.h; i++) {
        const struct syscalls_call_row *k = &m->syscalls->calls[i];
        const int y = in.y + 2 + (int)i;
        canvas_printf(c, in.x, y, in.w, STYLE(STYLE_TEXT), "%-24s %12" PRIu64, k->name, k->calls);
        canvas_printf(c, in.x + 38, y, in.w - 38, STYLE(STYLE_DIM), "calls, %s each",
                      value_time(k->mean, c->ascii, mean));
    }
}
