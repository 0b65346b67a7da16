/* The output of the watched command: its end, or an earlier part after scrolling. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tui/model/view.h"
#include "tui/widgets/table.h"
#include "tui/widgets/wrap.h"

enum { LINE_MAX_ = 4096 };

static bool output_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    return m->snap && m->snap->target_kind == TARGET_COMMAND;
}

static size_t count_lines(const char *s, size_t n)
{
    size_t lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += s[i] == '\n';
    return lines + (n && s[n - 1] != '\n');
}

/*
 * Writes a line of raw bytes as text, without the control characters and colours of the program,
 * which must not reach the terminal.
 */
static void write_clean_line(const char *s, size_t n, char line[LINE_MAX_])
{
    size_t out = 0;
    for (size_t i = 0; i < n && out < LINE_MAX_ - 9; i++) {
        if (s[i] == '\033' && i + 1 < n && s[i + 1] == '[') { /* CSI … final byte */
            for (i += 2; i < n && ((unsigned char)s[i] < 0x40 || (unsigned char)s[i] > 0x7e); i++)
                ;
        } else if (s[i] == '\t') {
            do
                line[out++] = ' ';
            while (out % 8);
        } else if (s[i] && s[i] != '\r') {
            line[out++] = s[i];
        }
    }
    line[out] = '\0';
}

/* --- lines of the kept output --- */

struct output_text {
    const char *s, *end;
    uint64_t before; /* bytes of output before s, which are not kept */
};

/* The line after the one at p; NULL after the last. */
static const char *find_next_output(const struct output_text *t, const char *p)
{
    const char *nl = p < t->end ? memchr(p, '\n', (size_t)(t->end - p)) : NULL;
    return nl && nl + 1 < t->end ? nl + 1 : NULL;
}

static size_t line_length(const struct output_text *t, const char *p)
{
    const char *nl = memchr(p, '\n', (size_t)(t->end - p));
    return (size_t)((nl ? nl : t->end) - p);
}

static bool is_output_match(const struct output_text *t, const char *p, const char *needle)
{
    char line[LINE_MAX_];
    write_clean_line(p, line_length(t, p), line);
    return table_contains(line, needle);
}

/*
 * The number of the line that contains the byte with this place among all bytes; the first line if
 * it is not kept any more.
 */
static int output_number_of(const struct output_text *t, uint64_t place)
{
    int n = 0;
    const char *at = place > t->before ? t->s + (place - 1 - t->before) : t->s;
    for (const char *p = find_next_output(t, t->s); p && p <= at; p = find_next_output(t, p))
        n++;
    return n;
}

static const char *find_output_line(const struct output_text *t, int n)
{
    const char *p = t->s;
    while (n-- > 0 && find_next_output(t, p))
        p = find_next_output(t, p);
    return p;
}

static uint64_t output_place_of(const struct output_text *t, const char *p)
{
    return t->before + (uint64_t)(p - t->s) + 1;
}

/*
 * For n and N: the next line that contains the text, in a circle through all lines. Returns its
 * number, -1 if there is none.
 */
static int search_output(const struct output_text *t, const struct view_state *st, int lines,
                         int first)
{
    int step = st->find < 0 ? -1 : 1;
    int from = st->hit ? output_number_of(t, st->hit) : first;
    for (int k = st->find == 2 ? 0 : 1; lines > 0 && k <= lines; k++) {
        int n = ((from + step * k) % lines + lines) % lines;
        if (is_output_match(t, find_output_line(t, n), st->search))
            return n;
    }
    return -1;
}

static void write_command_state(const struct command_state *k, char *out, size_t size)
{
    if (k->running)
        snprintf(out, size, "running, %.1f s", k->elapsed_s);
    else if (WIFSIGNALED(k->wait_status))
        snprintf(out, size, "ended by signal %d after %.1f s", WTERMSIG(k->wait_status),
                 k->elapsed_s);
    else
        snprintf(out, size, "exited with %d after %.1f s", WEXITSTATUS(k->wait_status),
                 k->elapsed_s);
}

/* Doubles each '_', because a single one marks a letter in a title. */
static void double_underscores(const char *text, char *out, size_t size)
{
    size_t n = 0;
    for (; *text && n + 3 < size; text++) {
        out[n++] = *text;
        if (*text == '_')
            out[n++] = '_';
    }
    out[n] = '\0';
}

/* The first visible line. The line that the user reads stays in its place while more is written. */
static int first_visible(const struct output_text *t, struct view_state *st, int lines, int page)
{
    int last = lines > page ? lines - page : 0;
    int first = st->top ? output_number_of(t, st->top) : last;
    if (!st->search[0])
        st->hit = 0;
    if (st->find && st->search[0]) {
        int n = search_output(t, st, lines, first);
        st->hit = n >= 0 ? output_place_of(t, find_output_line(t, n)) : 0;
        if (n >= 0 && (n < first || n >= first + page))
            first = n - page / 3;
    }
    st->find = 0;
    first -= st->scroll;
    st->scroll = 0;
    if (first > last)
        first = last;
    else if (first < 0)
        first = 0;
    st->top = first < last ? output_place_of(t, find_output_line(t, first)) : 0;
    st->rows = lines;
    return first;
}

static void draw_output_lines(struct canvas *c, struct rect in, const struct output_text *t,
                              struct view_state *st)
{
    char line[LINE_MAX_];
    int lines = (int)count_lines(t->s, (size_t)(t->end - t->s)),
        first = first_visible(t, st, lines, in.h);
    const char *p = find_output_line(t, first);
    for (int y = 0; p && y < in.h; y++, p = find_next_output(t, p)) {
        struct style style = STYLE(STYLE_TEXT);
        write_clean_line(p, line_length(t, p), line);
        style.underline = st->search[0] && table_contains(line, st->search);
        canvas_text(c, in.x, in.y + y, in.w, line, style);
        if (st->hit && output_place_of(t, p) == st->hit)
            canvas_restyle(c, (struct rect){in.x, in.y + y, in.w, 1}, STYLE(STYLE_SELECTED));
    }
    if (st->top)
        canvas_printf(c, in.x, in.y + in.h, in.w, STYLE(STYLE_DIM), " line %d of %d · End follows ",
                      first + 1, lines);
}

static void draw_output(struct canvas *c, struct rect area, const struct model *m,
                        struct view_state *st)
{
    char right[128] = "", state[64], title[256];
    const struct command_state *k = m->snap ? &m->snap->command : NULL;
    if (k) {
        struct value total = value_ok((double)k->output_total, UNIT_BYTES);
        char bytes[VALUE_TEXT_MAX];
        write_command_state(k, state, sizeof state);
        snprintf(right, sizeof right, "%s  %s", state, value_format(&total, c->ascii, bytes));
    }
    double_underscores(m->snap ? m->snap->target : "output", title, sizeof title);
    canvas_box(c, area, STYLE(STYLE_BOX_PROC), title, right);
    struct rect in = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    st->page = in.h;
    if (!k || !k->output || k->output_len == 0) {
        wrap_draw(c, in,
                  m->playback ? "a recording does not keep what the command printed"
                              : "no output yet",
                  STYLE(STYLE_DIM));
        return;
    }
    struct output_text t = {k->output, k->output + k->output_len, 0};
    t.before = k->output_total > k->output_len ? k->output_total - k->output_len : 0;
    draw_output_lines(c, in, &t, st);
}

static enum view_result act_in_output(enum action a, const struct model *m, struct view_state *st)
{
    (void)m;
    int page = st->page > 1 ? st->page - 1 : 1;
    switch (a) {
    case ACTION_UP:
        st->scroll++;
        return VIEW_HANDLED;
    case ACTION_DOWN:
        st->scroll--;
        return VIEW_HANDLED;
    case ACTION_PAGE_UP:
        st->scroll += page;
        return VIEW_HANDLED;
    case ACTION_PAGE_DOWN:
        st->scroll -= page;
        return VIEW_HANDLED;
    case ACTION_TOP:
        st->scroll = st->rows;
        return VIEW_HANDLED;
    case ACTION_BOTTOM:
        st->scroll = -st->rows;
        return VIEW_HANDLED;
    case ACTION_SEARCH_NEXT:
    case ACTION_SEARCH_PREV:
        st->find = a == ACTION_SEARCH_NEXT ? 1 : -1;
        return VIEW_HANDLED;
    default:
        return VIEW_IGNORED;
    }
}

const struct view_ops view_output = {
    .name = "output",
    .title = "output",
    .select = ACTION_VIEW_OUTPUT,
    .contexts = CONTEXT_OUTPUT,
    .available = output_available,
    .absent = "There is no output: start a command with  rooftop -- CMD",
    .draw = draw_output,
    .act = act_in_output,
};
