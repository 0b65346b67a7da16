#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "tui/term_state.h"

/* DEC private mode 2026: terminals that know it show the frame at once, the others ignore it. */
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
    if (pen.pair < 0) /* more colours than the terminal has: its own will do */
        pen.pair = 0;
    return pen;
}

static struct term_pen pen_of(struct term *t, const struct theme *theme, struct style st)
{
    int level = st.level < LEVELS ? st.level : LEVELS - 1;
    int role = st.role < STYLE_COUNT ? st.role : STYLE_TEXT;
    if (st.bold || st.underline || st.reverse)
        return make_pen(t, theme, st);
    struct term_pen *pen = &t->pens[role][level];
    if (!pen->known)
        *pen = make_pen(t, theme, st);
    return *pen;
}

/* Hands cells [x0, x1) of a row to ncurses, which finds the cheapest way to show them. */
static void put_cells(struct term *t, const struct canvas *c, const struct theme *theme, int y,
                      int x0, int x1)
{
    enum { RUN = 128 };
    cchar_t run[RUN];
    const struct cell *row = &c->cells[(size_t)y * (size_t)c->cols];
    int n = 0, at = x0;
    for (int x = x0; x < x1; x++) {
        if (row[x].ch == 0)
            continue; /* comes with the character to its left */
        if (n == RUN) {
            mvadd_wchnstr(y, at, run, n);
            at = x;
            n = 0;
        }
        struct term_pen pen = pen_of(t, theme, row[x].style);
        wchar_t text[2] = {(wchar_t)row[x].ch, 0};
        setcchar(&run[n++], text, pen.attrs, 0, &pen.pair);
    }
    if (n)
        mvadd_wchnstr(y, at, run, n);
}

static bool put_changes(struct term *t, const struct canvas *c, const struct theme *theme)
{
    bool all = t->repaint || t->last.cols != c->cols || t->last.rows != c->rows, any = all;
    for (int y = 0; y < c->rows && y < t->rows; y++) {
        const struct cell *now = &c->cells[(size_t)y * (size_t)c->cols];
        const struct cell *was = all ? NULL : &t->last.cells[(size_t)y * (size_t)c->cols];
        int first = 0, end = c->cols < t->cols ? c->cols : t->cols;
        if (was) {
            while (first < end && canvas_same_cell(&now[first], &was[first]))
                first++;
            while (end > first && canvas_same_cell(&now[end - 1], &was[end - 1]))
                end--;
            while (first > 0 && first < end && now[first].ch == 0)
                first--;
        }
        if (first >= end)
            continue;
        put_cells(t, c, theme, y, first, end);
        any = true;
    }
    return any;
}

int term_frame_collect(struct term *t, bool sync)
{
    fflush(t->pipe_file);
    off_t size = lseek(t->pipe_fd, 0, SEEK_CUR);
    if (size <= 0)
        return 0;
    size_t need = (size_t)size + sizeof sync_begin + sizeof sync_end, n = 0;
    if (t->out_at == t->out_len)
        t->out_at = t->out_len = 0;
    if (t->out_len + need > t->out_cap) {
        t->out_cap = (t->out_len + need) * 2;
        t->out = xrealloc(t->out, t->out_cap, 1);
    }
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
    int left = term_frame_flush(t);
    if (left != 0) /* the line is slow: this frame is left out, the next one has all that changed */
        return left < 0 ? left : 0;
    if (theme != t->theme || t->repaint) {
        memset(t->pens, 0, sizeof t->pens);
        t->theme = theme;
    }
    if (!put_changes(t, c, theme))
        return 0;
    if (t->repaint)
        clearok(stdscr, TRUE);
    wnoutrefresh(stdscr);
    doupdate();
    t->repaint = false;
    if (t->last.cols != c->cols || t->last.rows != c->rows)
        canvas_resize(&t->last, c->cols, c->rows);
    memcpy(t->last.cells, c->cells, (size_t)c->cols * (size_t)c->rows * sizeof *c->cells);
    int n = term_frame_collect(t, t->depth != DEPTH_NONE);
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
    t->repaint = true;
}
