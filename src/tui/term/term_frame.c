#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"
#include "base/arena.h"
#include "base/env.h"
#include "tui/term/term_impl.h"

/* DEC private mode 2026: terminals that support it show the frame at once; the others ignore it. */
static const char sync_begin[] = "\033[?2026h", sync_end[] = "\033[?2026l";

static struct term_pen make_pen(const struct term *t, const struct theme *theme, struct style st)
{
    struct look l = theme_look(theme, st, t->depth);
    struct term_pen pen = {.known = true};
    if (l.bold)
        pen.attrs |= A_BOLD;
    if (l.underline)
        pen.attrs |= A_UNDERLINE;
    if (l.reverse)
        pen.attrs |= A_REVERSE;
    if (l.fg != COLOR_DEFAULT || l.bg != COLOR_DEFAULT)
        pen.pair = alloc_pair(l.fg, l.bg);
    if (pen.pair < 0) /* no pair is left: use the terminal's own colours */
        pen.pair = 0;
    return pen;
}

static struct term_pen pen_of(struct term *t, const struct theme *theme, struct style st)
{
    int level = st.level < LEVELS ? st.level : LEVELS - 1;
    int role = st.role < STYLE_COUNT ? st.role : STYLE_TEXT;
    if (st.bold || st.underline || st.reverse || st.selected)
        return make_pen(t, theme, st);
    struct term_pen *pen = &t->pens[role][level];
    if (!pen->known)
        *pen = make_pen(t, theme, st);
    return *pen;
}

/* Gives cells [x0, x1) of a row to ncurses, which finds the cheapest way to show them. */
static void put_cells(struct term *t, const struct canvas *c, const struct theme *theme, int y,
                      int x0, int x1)
{
    enum { RUN = 128 };
    cchar_t run[RUN];
    const struct cell *row = &c->cells[(size_t)y * (size_t)c->cols];
    int n = 0, at = x0;
    for (int x = x0; x < x1; x++) {
        if (row[x].ch == 0)
            continue; /* part of the wide character to its left */
        if (n == RUN) {
            mvwadd_wchnstr(newscr, y, at, run, n);
            at = x;
            n = 0;
        }
        struct term_pen pen = pen_of(t, theme, row[x].style);
        wchar_t text[2] = {(wchar_t)row[x].ch, 0};
        setcchar(&run[n++], text, pen.attrs, 0, &pen.pair);
    }
    if (n)
        mvwadd_wchnstr(newscr, y, at, run, n);
}

/* Estimates the bytes that ncurses writes for cells [x0, x1): cursor, colours, characters. */
static size_t estimate_cells_cost(const struct cell *row, int x0, int x1)
{
    enum { BLANKS = 6 }; /* longer runs of blanks are one sequence */
    size_t n = 8;
    int blanks = 0;
    for (int x = x0; x < x1; x++) {
        uint32_t ch = row[x].ch;
        struct cell as_before = {ch, x > x0 ? row[x - 1].style : row[x].style};
        bool same = x > x0 && canvas_same_cell(&row[x], &as_before);
        blanks = ch == ' ' && same ? blanks + 1 : 0;
        if (blanks > BLANKS)
            continue;
        n += (ch > 0) + (ch >= 0x80) + (ch >= 0x800) + (ch >= 0x10000); /* bytes of UTF-8 */
        if (!same)
            n += 16;
    }
    return n;
}

/* Puts the changes of row y, or as many as *budget allows. Returns false if some are left. */
static bool put_changed_row(struct term *t, const struct canvas *c, const struct theme *theme,
                            int y, size_t *budget)
{
    const struct cell *now = &c->cells[(size_t)y * (size_t)c->cols];
    struct cell *was = &t->last.cells[(size_t)y * (size_t)c->cols];
    int first = 0, end = c->cols < t->cols ? c->cols : t->cols;
    while (first < end && canvas_same_cell(&now[first], &was[first]))
        first++;
    while (end > first && canvas_same_cell(&now[end - 1], &was[end - 1]))
        end--;
    /*
     * The right half of a wide character needs the left one; a slice may have ended between them.
     */
    while (first > 0 && first < end && now[first].ch == 0)
        first--;
    if (first >= end)
        return true;
    int stop = end;
    if (*budget != SIZE_MAX) {
        while (stop > first + 1 && estimate_cells_cost(now, first, stop) > *budget)
            stop -= (stop - first) / 8 + 1;
        size_t n = estimate_cells_cost(now, first, stop);
        *budget = n < *budget ? *budget - n : 0;
    }
    put_cells(t, c, theme, y, first, stop);
    memcpy(&was[first], &now[first], (size_t)(stop - first) * sizeof *now);
    return stop == end;
}

/* Makes every cell differ, because the content of the terminal is unknown. */
static void forget_last(struct term *t, const struct canvas *c)
{
    canvas_resize(&t->last, c->cols, c->rows);
    for (size_t i = 0, n = (size_t)c->cols * (size_t)c->rows; i < n; i++)
        t->last.cells[i].ch = UINT32_MAX;
}

/* Puts the rows, those that a key changed first. Returns whether all are done. */
static bool put_changes(struct term *t, const struct canvas *c, const struct theme *theme,
                        size_t budget)
{
    int rows = c->rows < t->rows ? c->rows : t->rows;
    bool complete = true;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < rows; i++) {
            /* of a key's rows the last one comes first, because it has the typed text */
            int y = pass ? (t->next_row + i) % rows : (rows - 1 + i) % rows;
            bool first = y < t->first_n && t->first_rows[y];
            if (first != (pass == 0))
                continue;
            if (budget == 0 || !put_changed_row(t, c, theme, y, &budget)) {
                if (complete && pass)
                    t->next_row = y;
                complete = false;
            } else if (first) {
                t->first_rows[y] = false;
            }
        }
    return complete;
}

void term_prioritise(struct term *t, const struct canvas *before, const struct canvas *after)
{
    if (!term_hurries(t) || before->cols != after->cols || before->rows != after->rows)
        return;
    if (after->rows > t->first_n) {
        t->first_rows = xrealloc(t->first_rows, (size_t)after->rows, sizeof *t->first_rows);
        memset(t->first_rows + t->first_n, 0, (size_t)(after->rows - t->first_n));
        t->first_n = after->rows;
    }
    if (canvas_equal(before, after))
        return;
    memset(t->first_rows, 0,
           (size_t)t->first_n * sizeof *t->first_rows); /* only those of the latest key */
    for (int i = 0; i < after->rows * after->cols; i++)
        if (!canvas_same_cell(&before->cells[i], &after->cells[i])) {
            t->first_rows[i / after->cols] = true;
            t->flow.urgent = true;
        }
}

int term_frame_collect(struct term *t, bool sync, bool ask)
{
    fflush(t->pipe_file);
    off_t size = lseek(t->pipe_fd, 0, SEEK_CUR);
    if (size <= 0)
        return 0;
    size_t need = (size_t)size + sizeof sync_begin + sizeof sync_end + sizeof flow_question, n = 0;
    if (t->out_at == t->out_len)
        t->out_at = t->out_len = 0;
    LIST_FIT(t->out, t->out_len + need, t->out_cap);
    char *p = t->out + t->out_len;
    if (sync) {
        memcpy(p, sync_begin, sizeof sync_begin - 1);
        n = sizeof sync_begin - 1;
    }
    ssize_t got = pread(t->pipe_fd, p + n, (size_t)size, 0);
    n += got > 0 ? (size_t)got : 0;
    if (sync) {
        memcpy(p + n, sync_end, sizeof sync_end - 1);
        n += sizeof sync_end - 1;
    }
    if (ask) {
        memcpy(p + n, flow_question, sizeof flow_question);
        n += sizeof flow_question;
    }
    t->out_len += n;
    lseek(t->pipe_fd, 0, SEEK_SET);
    if (ftruncate(t->pipe_fd, 0) != 0)
        return -errno;
    return (int)n;
}

int term_frame_flush(struct term *t)
{
    while (t->out_at < t->out_len) {
        ssize_t n = write(t->write_fd, t->out + t->out_at, t->out_len - t->out_at);
        t->writes++;
        if (n > 0)
            t->out_at += (size_t)n;
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR)
            return -errno;
    }
    return (int)(t->out_len - t->out_at);
}

long term_present(struct term *t, const struct canvas *c, const struct theme *theme)
{
    if (t->given_back)
        return 0;
    int left = term_frame_flush(t);
    if (left != 0) /* the line is slow: this frame is dropped, and the next one has all changes */
        return left < 0 ? left : 0;
    if (theme != t->theme || t->repaint) {
        memset(t->pens, 0, sizeof t->pens);
        t->theme = theme;
    }
    uint64_t now = env_now_ns();
    if (!flow_may_send(&t->flow, now))
        return 0;
    if (t->repaint || t->last.cols != c->cols || t->last.rows != c->rows)
        forget_last(t, c);
    if (t->repaint) {
        if (flow_budget(&t->flow) != SIZE_MAX)
            werase(newscr); /* the rows are drawn again one by one */
        clearok(newscr, TRUE);
    }
    bool complete = put_changes(t, c, theme, flow_budget(&t->flow));
    doupdate();
    t->repaint = false;
    bool asks = flow_asks(&t->flow, now);
    int n = term_frame_collect(t, t->depth != DEPTH_NONE, asks);
    if (n > 0)
        flow_sent(&t->flow, (size_t)n, asks, complete, now);
    else
        t->flow.wanted = false;
    if (n <= 0)
        return n;
    left = term_frame_flush(t);
    return left < 0 ? left : n;
}

unsigned long term_writes(const struct term *t)
{
    return t->writes;
}

void term_repaint(struct term *t)
{
    t->repaint = t->flow.urgent = true; /* a key asked for it, so it is urgent */
}
