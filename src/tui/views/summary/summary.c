/* What an opened file is and what it says. The engine makes the lines; they are wrapped here. */
#include "engine/summary/summary.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/code/kernel_brief.h"
#include "tui/model/view.h"
#include "tui/views/kernels/kernels.h"
#include "tui/widgets/page.h"
#include "tui/widgets/table.h"
#include "tui/widgets/wrap.h"

enum {
    KERNELS_LEAST = 3,
    SUMMARY_LABEL = 12,
    MORE = 4,
    NUMBERS = 29,     /* cells of a kernel's time, share and calls */
    BOUND = 32,       /* cells of what bounds it, */
    BOUND_FROM = 100, /* where there are so many */
    NAME_LEAST = 12
};
enum summary_column { COLUMN_LABEL, COLUMN_TEXT, COLUMN_MORE, COLUMNS };

/* A row of the list: a part of a line, a kernel, or a heading above the kernels. */
struct summary_row {
    const struct summary_line *line; /* NULL: a kernel or a heading */
    const struct kernel_row *kernel; /* NULL: a line or a heading */
    const char *text;                /* of a line: this part, */
    size_t bytes;                    /* so long */
    bool goes_on;                    /* not the first part of its line */
    bool heading;
};

/* What the lines, and the rows made of them, depend on. */
struct summary_basis {
    uint64_t serial;              /* of the profile; 0: none */
    const struct subject *opened; /* what else is open; NULL: nothing */
    uint32_t reading;             /* of that */
    const struct att_set *traces;
    bool ascii;
};

struct summary_view { /* view_state.own */
    struct summary_basis basis;
    struct summary made;
    struct summary_row *rows;
    size_t n, cap;
    int wrapped, room;              /* the size that the rows were made for */
    const struct analysis *profile; /* while it is drawn; NULL: another kind of file */
    int width;                      /* cells of the text, */
    int more;                       /* and of the keys beside it */
};

static void free_summary_view(void *own)
{
    struct summary_view *v = own;
    summary_free(&v->made);
    free(v->rows);
}

/* --- rows --- */

static void add_wrapped_line(struct summary_view *v, const struct summary_line *line, int width)
{
    const char *text = line->text;
    do {
        const size_t n = wrap_bytes(text, width);
        LIST_ADD(v->rows, v->n, v->cap,
                 (struct summary_row){
                     .line = line, .text = text, .bytes = n, .goes_on = text != line->text});
        text += n + strspn(text + n, " ");
    } while (*text);
}

static void add_kernel_rows(struct summary_view *v, const struct kernel_table *t, size_t most)
{
    if (t->n == 0)
        return;
    LIST_ADD(v->rows, v->n, v->cap, (struct summary_row){.heading = true});
    for (uint32_t i = 0; i < t->n && i < most; i++)
        LIST_ADD(v->rows, v->n, v->cap, (struct summary_row){.kernel = &t->rows[i]});
}

/* Makes the rows for this width. The list of kernels gets the room that is left. */
static void make_summary_rows(struct summary_view *v, const struct kernel_table *t, int width,
                              int room)
{
    size_t used;
    v->n = 0;
    for (size_t i = 0; i < v->made.n; i++)
        add_wrapped_line(v, &v->made.lines[i], width);
    used = v->n + 1;
    v->n = 0;
    for (size_t i = 0; i < v->made.first; i++)
        add_wrapped_line(v, &v->made.lines[i], width);
    const size_t left = room > (int)used ? (size_t)room - used : 0;
    if (t)
        add_kernel_rows(v, t, left > KERNELS_LEAST ? left : KERNELS_LEAST);
    for (size_t i = v->made.first; i < v->made.n; i++)
        add_wrapped_line(v, &v->made.lines[i], width);
    v->wrapped = width;
    v->room = room;
}

/* --- cells --- */

static int find_name_room(const struct summary_view *v)
{
    const int room = v->width - NUMBERS - (v->width >= BOUND_FROM ? BOUND : 0);
    return room > NAME_LEAST ? room : NAME_LEAST;
}

static void write_kernel(const struct summary_view *v, const struct kernel_row *r,
                         char text[TABLE_CELL_MAX])
{
    char name[TABLE_CELL_MAX], time[VALUE_TEXT_MAX], share[SHARE_PERCENT];
    char label[96], said[96], bound[128] = "";
    const int room = find_name_room(v);
    if (v->width >= BOUND_FROM) {
        kernels_label_text(&r->label, true, label, sizeof label);
        snprintf(bound, sizeof bound, "  %s", gpu_say(r->words, label, said, sizeof said));
    }
    briefs_fit(v->profile->trace.briefs, r->name, room, v->basis.ascii, name, sizeof name);
    snprintf(text, TABLE_CELL_MAX, "%s%*s %9s %5s %% %8" PRIu64 " x%s", name,
             room - text_width(name), "",
             value_time(kernel_ns(&r->sum, r->sum.total), v->basis.ascii, time),
             share_percent(r->share, share), r->sum.calls, bound);
}

/* The heads of the kernels' columns, where write_kernel puts them. */
static void write_kernel_heads(const struct summary_view *v, char text[TABLE_CELL_MAX])
{
    char name[TABLE_CELL_MAX];
    const uint32_t n = v->profile->kernels.by[KERNELS_BY_NAME].n;
    const int room = SUMMARY_LABEL + 1 + find_name_room(v);
    snprintf(name, sizeof name, "most of the time, of %" PRIu32 " %s", n,
             n == 1 ? "kernel or copy" : "kernels and copies");
    if (text_width(name) > room)
        snprintf(name, sizeof name, "most time, of %" PRIu32, n);
    snprintf(text, TABLE_CELL_MAX, "%s%*s %9s %7s %10s%s", name, room - text_width(name), "",
             "TIME", "SHARE", "CALLS", v->width >= BOUND_FROM ? "  BOUND BY" : "");
}

static struct style find_line_style(const struct summary_line *line)
{
    if (line->tone == SUMMARY_VERDICT)
        return STYLE(STYLE_TITLE);
    return STYLE(line->tone == SUMMARY_FAINT ? STYLE_DIM : STYLE_TEXT);
}

static void write_more(const char *view, char text[TABLE_CELL_MAX])
{
    char key[16];
    if (view && *view_key(view, key))
        snprintf(text, TABLE_CELL_MAX, "→ %s", key);
}

static void write_kernel_cell(const struct summary_view *v, size_t row, int col,
                              char text[TABLE_CELL_MAX], struct style *st)
{
    const struct kernel_row *r = v->rows[row].kernel;
    size_t rank = 1;
    while (rank <= row && v->rows[row - rank].kernel)
        rank++;
    if (col == COLUMN_LABEL)
        snprintf(text, TABLE_CELL_MAX, "%4zu", rank);
    else if (col == COLUMN_TEXT)
        write_kernel(v, r, text);
    else
        write_more("kernels", text);
    *st = STYLE(col == COLUMN_LABEL ? STYLE_DIM : STYLE_TEXT);
    if (col == COLUMN_MORE)
        *st = STYLE(STYLE_HOT);
}

static void summary_cell(const void *ctx, size_t i, int col, char text[TABLE_CELL_MAX],
                         struct style *st)
{
    const struct summary_view *v = ctx;
    const struct summary_row *r = &v->rows[i];
    if (r->heading) {
        write_kernel_heads(v, text);
    } else if (r->kernel) {
        write_kernel_cell(v, i, col, text, st);
    } else if (col == COLUMN_TEXT) {
        snprintf(text, TABLE_CELL_MAX, "%.*s", (int)r->bytes, r->text);
        *st = find_line_style(r->line);
    } else if (col == COLUMN_LABEL && !r->goes_on) {
        snprintf(text, TABLE_CELL_MAX, "%s", r->line->label);
        *st = STYLE(STYLE_HEADING);
    } else if (col == COLUMN_MORE && !r->goes_on) {
        write_more(r->line->more, text);
        *st = STYLE(STYLE_HOT);
    }
}

/* --- the list --- */

static void summary_key(const void *ctx, size_t i, char out[VIEW_TEXT_MAX])
{
    const struct summary_view *v = ctx;
    const struct summary_row *r = &v->rows[i];
    if (r->kernel)
        kernels_key(r->kernel, KERNELS_BY_NAME, out);
    else
        snprintf(out, VIEW_TEXT_MAX, "s:%zu",
                 r->line ? (size_t)(r->line - v->made.lines) : SIZE_MAX);
}

static const struct summary_line *find_summary_line(const struct summary_view *v, const char *key)
{
    size_t i;
    return sscanf(key, "s:%zu", &i) == 1 && i < v->made.n ? &v->made.lines[i] : NULL;
}

static bool summary_matches(const void *ctx, size_t i, const char *needle)
{
    const struct summary_row *r = &((const struct summary_view *)ctx)->rows[i];
    if (r->kernel)
        return table_contains(r->kernel->name, needle);
    return r->line && table_contains(r->line->text, needle);
}

static bool is_summary_heading(const void *ctx, size_t i)
{
    return ((const struct summary_view *)ctx)->rows[i].heading;
}

static bool is_summary_rest(const void *ctx, size_t i)
{
    return ((const struct summary_view *)ctx)->rows[i].goes_on;
}

/* Keeps the keys whole: "→ Alt-7" needs more cells than "→ 4". */
static void measure_keys(struct summary_view *v)
{
    char text[TABLE_CELL_MAX];
    v->more = MORE;
    for (size_t i = 0; i < v->made.n; i++) {
        text[0] = '\0';
        write_more(v->made.lines[i].more, text);
        v->more = text_width(text) > v->more ? text_width(text) : v->more;
    }
}

static void draw_summary_list(struct canvas *c, struct rect r, struct summary_view *v,
                              struct view_state *st)
{
    const struct column columns[COLUMNS] = {
        [COLUMN_LABEL] = {.title = "", .width = SUMMARY_LABEL},
        [COLUMN_TEXT] = {.title = "", .width = NAME_LEAST, .flex = true},
        [COLUMN_MORE] = {.title = "", .width = v->more, .right = true}};
    const struct table t = {.columns = columns,
                            .ncolumns = COLUMNS,
                            .ctx = v,
                            .nrows = v->n,
                            .sort = -1,
                            .flexible = &v->width,
                            .cell = summary_cell,
                            .key = summary_key,
                            .match = summary_matches,
                            .heading = is_summary_heading,
                            .passed = is_summary_rest};
    table_draw(c, r, &t, st);
}

/* --- the view --- */

static bool is_subject_open(const struct model *m)
{
    return m->profile || m->opened || m->att;
}

/* The lines of what is open; in the other set of characters they are made anew. True: they are
 * new. */
static bool keep_summary(struct summary_view *v, const struct model *m, bool ascii)
{
    const struct summary_basis now = {.serial = m->profile ? m->profile->trace.calls->serial : 0,
                                      .opened = m->opened,
                                      .reading = m->opened ? m->opened->reading : 0,
                                      .traces = m->att,
                                      .ascii = ascii};
    v->profile = m->profile;
    if (v->basis.serial == now.serial && v->basis.opened == now.opened &&
        v->basis.reading == now.reading && v->basis.traces == now.traces &&
        v->basis.ascii == now.ascii)
        return false;
    struct subject all = {.path = NULL};
    if (m->opened)
        all = *m->opened;
    all.profile = m->profile;
    all.traces = m->att;
    summary_free(&v->made);
    summary_make(&v->made, &all, ascii);
    measure_keys(v);
    v->basis = now;
    return true;
}

/* The kernels below the lines; NULL: the file has none, or calls and samples instead. */
static const struct kernel_table *find_summary_kernels(const struct analysis *a)
{
    if (!a || a->trace.samples || a->trace.syscalls)
        return NULL;
    return &a->kernels.by[KERNELS_BY_NAME];
}

static void draw_summary(struct canvas *c, struct rect area, const struct model *m,
                         struct view_state *st)
{
    struct summary_view *v = st->own;
    const struct rect r = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    const bool anew = keep_summary(v, m, c->ascii);
    const int width = r.w - SUMMARY_LABEL - v->more - 3, room = r.h - 1;
    if (anew || v->wrapped != width || v->room != room)
        make_summary_rows(v, find_summary_kernels(m->profile), width, room);
    canvas_box(c, area, STYLE(STYLE_BOX_CPU), "what it is and what it says",
               "Enter opens  i explains");
    draw_summary_list(c, r, v, st);
    canvas_text(c, r.x, r.y, r.w, v->made.head, STYLE(STYLE_TITLE)); /* above the rows */
}

static void tell_next_command(const struct view_host *host, const struct summary_line *line)
{
    char text[128];
    if (line->next)
        snprintf(text, sizeof text, "%s FILE has more about this line", line->next);
    else
        snprintf(text, sizeof text, "no view has more about this line; i explains it");
    host->say(host->app, false, text);
}

static enum view_result open_summary_row(struct view_state *st)
{
    const struct summary_view *v = st->own;
    const struct summary_line *line = find_summary_line(v, st->selected_key);
    const struct view_host *host = st->host;
    struct error err = ERROR_INIT;
    char text[512];
    if (line && !line->more) {
        tell_next_command(host, line);
        return VIEW_HANDLED;
    }
    if (!host->choose(host->app, line ? line->more : "kernels", line ? NULL : st->selected_key,
                      &err))
        host->say(host->app, true, error_format(&err, text, sizeof text));
    return VIEW_HANDLED;
}

/* Whether a kernel is under the cursor, so that the key of the kernels opens this one. */
static bool is_on_kernel(const struct model *m, const struct view_state *st)
{
    return m->profile && kernels_find(&m->profile->kernels, st->selected_key);
}

static enum view_result act_in_summary(enum action a, const struct model *m, struct view_state *st)
{
    switch (a) {
    case ACTION_VIEW_KERNELS:
        return is_on_kernel(m, st) ? open_summary_row(st) : VIEW_IGNORED;
    case ACTION_SUMMARY_OPEN:
    case ACTION_MENU:
        return st->selected_key[0] ? open_summary_row(st) : VIEW_IGNORED;
    case ACTION_EXPLAIN:
        return st->selected_key[0] ? VIEW_EXPLAIN : VIEW_IGNORED;
    default:
        return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
    }
}

static void explain_list(struct page *p, const char *list)
{
    for (const char *at = list; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
        page_item(p, "", "%.*s", (int)strcspn(at, "\n"), at);
}

static void explain_summary(struct page *p, const struct model *m, const struct view_state *st,
                            const char *key)
{
    const struct summary_line *line = find_summary_line(st->own, key);
    char view[16];
    if (!line) {
        kernels_explain(p, m, st, key);
        return;
    }
    page_heading(p, *line->label ? line->label : "more about the line above");
    page_text(p, STYLE_TEXT, "%s", line->text);
    page_item(p, "how", "%s", line->how);
    explain_list(p, line->list);
    if (line->more)
        page_item(p, "more", "key %s, or rooftop --view %s FILE", view_key(line->more, view),
                  line->more);
    if (line->next)
        page_item(p, "more", "%s FILE", line->next);
}

/* For copying: the text of the row. */
static bool summary_menu(const struct model *m, const struct view_state *st, const char *key,
                         struct menu *out)
{
    const struct summary_line *line = find_summary_line(st->own, key);
    const struct kernel_row *r = m->profile ? kernels_find(&m->profile->kernels, key) : NULL;
    if (!line && !r)
        return false;
    snprintf(out->title, sizeof out->title, "%.60s", line ? line->label : r->name);
    menu_copy(out, 'y', line ? line->text : r->name, "copy it");
    return true;
}

static bool summary_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    return is_subject_open(m);
}

const struct view_ops view_summary = {
    .name = "summary",
    .title = "summary",
    .select = ACTION_VIEW_SUMMARY,
    .contexts = CONTEXTS_SUMMARY,
    .available = summary_available,
    .absent =
        "No file was opened: rooftop FILE, of a profile, a session of rooftop record, samples, "
        "a saved trace, a capture or a code object",
    .own_size = sizeof(struct summary_view),
    .end = free_summary_view,
    .draw = draw_summary,
    .act = act_in_summary,
    .menu = summary_menu,
    .explain = explain_summary,
};
