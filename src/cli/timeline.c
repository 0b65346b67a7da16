#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/plural.h"
#include "base/print.h"
#include "cli/options/command.h"
#include "cli/run/brief_output.h"
#include "cli/run/progress.h"
#include "cli/run/trace_input.h"
#include "engine/trace/window.h"
#include "engine/value/timeline_scale.h"
#include "export/timeline_export.h"
#include "tui/canvas/render.h"
#include "tui/views/timeline/timeline.h"

enum { COLS = 120, ROWS_MOST = 60, HITS = 20, LEAST_COLS = 40, LEAST_ROWS = 5 };

/* Finds the window to draw. The whole profile is read all the same, because its critical path is
 * needed. */
static int find_window(struct timeline_export *e, const struct trace *t, const struct options *o,
                       struct error *err)
{
    struct window w;
    struct window_spans spans = {.n = 0};
    e->from = e->t->from;
    e->to = e->t->to > e->from ? e->t->to : e->from + 1;
    int rc = window_parse(&w, o->from, o->to, o->range, err);
    if (rc == 0 && !window_is_whole(&w))
        rc = window_find(&spans, t, &w, err);
    for (uint32_t i = 0; rc == 0 && i < spans.n; i++) {
        const struct window_span *s = &spans.list[i];
        e->from = i == 0 || s->from < e->from ? s->from : e->from;
        e->to = i == 0 || s->to > e->to ? s->to : e->to;
    }
    e->to = e->to > e->from ? e->to : e->from + 1;
    window_spans_free(&spans);
    window_free(&w);
    return rc;
}

/* --- text --- */

struct hits {
    FILE *out;
    const struct timeline_export *e;
    bool ascii;
    uint32_t n;
};

static void print_hit(void *ctx, uint32_t lane, uint32_t row, uint32_t v)
{
    struct hits *h = ctx;
    const struct timeline *t = h->e->t;
    char from[TIMELINE_TIME_MAX], length[VALUE_TEXT_MAX];
    uint64_t start = t->calls->start[v], ns = timeline_end(t->calls, v) - start;
    (void)row;
    if (h->n++ >= HITS)
        return;
    timeline_time(start - t->from, 1, t->to - t->from, from);
    value_time((double)ns, true, length);
    print_text(h->out, "  at %-16s %8s  %s%s / %s  %s\n", from, length,
               timeline_is_critical(t, v) ? "* " : "  ",
               timeline_group_name(t, t->lanes[lane].group), timeline_lane_name(t, lane),
               graph_name(t->calls, v));
}

struct timeline_options {
    const char *search; /* NULL: nothing */
};

static void print_hits(FILE *out, const struct timeline_export *e, const struct options *o)
{
    const struct timeline_options *own = o->own;
    struct hits h = {out, e, trace_ascii(o), 0};
    print_text(out, "\nSpans that match '%s' (* on the critical path):\n", own->search);
    timeline_export_each(e, print_hit, &h);
    if (h.n == 0)
        fputs("  none\n", out);
    else if (h.n > HITS)
        fprintf(out, "  ... and %" PRIu32 " more (--format csv has all)\n", h.n - HITS);
}

static int write_timeline_text(FILE *out, const struct timeline_export *e, const struct options *o)
{
    struct view_state st;
    struct canvas c;
    const struct timeline *t = e->t;
    int cols = o->size_cols ? o->size_cols : COLS;
    int room = o->size_rows ? o->size_rows : ROWS_MOST;
    bool ascii = trace_ascii(o);
    char part[VALUE_TEXT_MAX], all[VALUE_TEXT_MAX], path[VALUE_TEXT_MAX];
    cols = cols < LEAST_COLS ? LEAST_COLS : cols;
    room = room < LEAST_ROWS ? LEAST_ROWS : room;
    view_state_begin(&st, &view_timeline); /* nothing is folded */
    timeline_set_window(t, &st, e->from, e->to - e->from);
    int lines = (int)timeline_lines(t, &st, room - 2)->n,
        rows = lines < room - 2 ? lines : room - 2;
    print_text(out, "%s of %s, %" PRIu32 " %s in %" PRIu32 " %s; %s critical path %s, %s beside it",
               value_time((double)(e->to - e->from), ascii, part),
               value_time((double)(t->to - t->from), ascii, all), t->nspans,
               plural(t->nspans, "span", "spans"), t->nlanes, plural(t->nlanes, "lane", "lanes"),
               ascii ? "#" : "█", value_time((double)t->way->length, ascii, path),
               ascii ? "=" : "▒");
    if (t->untimed)
        fprintf(out, "; %" PRIu32 " without times", t->untimed);
    fputc('\n', out);
    canvas_init(&c);
    c.ascii = ascii;
    canvas_resize(&c, cols, rows + 1);
    timeline_draw_lanes(&c, (struct rect){0, 0, cols, rows + 1}, t, &st, e->names);
    int rc = render_text(out, &c);
    canvas_free(&c);
    view_state_end(&st, &view_timeline);
    if (lines > rows)
        fprintf(out, "... and %d lines more (--size %dx%d has all)\n", lines - rows, cols,
                lines + 2);
    if (e->names)
        print_hits(out, e, o);
    return rc;
}

static void write_timeline_brief(FILE *out, const struct timeline_export *e,
                                 const struct options *o)
{
    static const char *const next[] = {"rooftop report timeline", "rooftop report path",
                                       "rooftop --view timeline", NULL};
    struct brief b = {.command = o->words};
    timeline_brief(&b, e);
    brief_next_about(&b, o, next);
    brief_write(out, &b, o->format);
}

/* --- all formats --- */

static int write_timeline_as(FILE *out, const struct timeline_export *e, const struct options *o,
                             struct error *err)
{
    const char *format = o->format ? o->format : "text";
    if (o->brief)
        write_timeline_brief(out, e, o);
    else if (strcmp(format, "json") == 0)
        timeline_export_json(out, e);
    else if (strcmp(format, "csv") == 0)
        timeline_export_csv(out, e);
    else if (strcmp(format, "svg") == 0)
        timeline_export_svg(out, e);
    else if (write_timeline_text(out, e, o) != 0)
        return error_set(err, ERROR_OUTPUT, EIO, NULL, "report timeline",
                         "the picture was not written");
    return 0;
}

static int write_timeline(FILE *out, const struct trace_input *in, const struct options *o,
                          struct error *err)
{
    const struct timeline_options *own = o->own;
    struct critical_path way;
    struct timeline t;
    struct timeline_names names = {0};
    struct timeline_export e = {.t = &t, .trace = &in->trace};
    int rc = critical_path_find(in->trace.calls, &way, err);
    if (rc != 0)
        return rc;
    rc = timeline_build(&t, in->trace.calls, &way, err);
    if (rc == 0)
        rc = find_window(&e, &in->trace, o, err);
    if (rc == 0 && own->search && own->search[0]) {
        rc = timeline_names(&names, &t, own->search, err);
        e.names = &names;
    }
    if (rc == 0)
        rc = write_timeline_as(out, &e, o, err);
    timeline_names_free(&names);
    timeline_free(&t);
    critical_path_free(&way);
    return rc;
}

static int timeline_run(struct options *o)
{
    struct error err = ERROR_INIT;
    /* the whole profile is read; --from and --to choose what is drawn */
    progress_want(&(struct options){.command = ""}, &err);
    return trace_command(o, write_timeline);
}

static const struct command_option options[] = {
    OWN(.name = "search", OWN_AT(timeline_options, search), .type = OPTION_STRING, .arg = "TEXT",
        .help = "spans whose name contains it; ~REGEX: a POSIX extended expression"),
    TAKES_TRACED,
    TAKES_CALLS,
    TAKES_AS(FORMAT, .choices = "text|json|csv|svg"),
    TAKES(BRIEF),
    TAKES(SIZE),
    TAKES(OUTPUT),
    TAKES_OPENED,
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_timeline = {
    .name = "timeline",
    .summary = "every span of a profile in its lane, over time",
    .usage = "rooftop report timeline [--brief] [--from T] [--to T] [--search TEXT] [--format "
             "text|json|csv|svg] "
             "[FILE... | -p PID | -- COMMAND...]",
    .run = timeline_run,
    .files = true,
    .starts = true,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop report timeline results.db --from 1ms --to 2ms", "one millisecond of a profile"},
        {"rooftop report timeline --search gemm results.db", "where the spans of that name are"}),
    .exits = EXITS_TRACED,
};
