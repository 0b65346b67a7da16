#include "cli/golden/golden_impl.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "base/arena.h"
#include "base/limit.h"
#include "tui/canvas/theme.h"
#include "tui/input/keys.h"
#include "tui/term/term.h"

enum { CONTEXT = 3, LIST_SHARE = 3 /* of the height, at most */, HEAD = 1, FOOT = 1 };

static const char *const verdicts[] = {"  ", "a ", "r "};

void golden_review_begin(struct golden_review *r, const char *name, const struct golden *stored,
                         const struct golden *run, const struct golden_diff *d)
{
    *r = (struct golden_review){.name = name,
                                .stored = stored,
                                .run = run,
                                .d = d,
                                .verdict = xcalloc(d->n + 1, sizeof *r->verdict)};
}

void golden_review_end(struct golden_review *r)
{
    free(r->verdict);
}

size_t golden_review_count(const struct golden_review *r, enum golden_verdict v)
{
    size_t n = 0;
    for (size_t i = 0; i < r->d->n; i++)
        n += r->verdict[i] == v;
    return n;
}

void golden_review_take(const struct golden_review *r, struct golden *stored)
{
    for (size_t i = r->d->n; i > 0; i--) /* last first: earlier positions stay valid */
        if (r->verdict[i - 1] == GOLDEN_ACCEPTED)
            golden_accept(stored, r->run, r->d, i - 1);
}

/* --- drawing --- */

static void draw_hunk_row(const struct golden_review *r, struct canvas *c, int y, size_t i)
{
    const struct golden_hunk *h = &r->d->list[i];
    struct style st = STYLE(STYLE_TEXT);
    if (r->verdict[i] == GOLDEN_ACCEPTED)
        st = STYLE(STYLE_OK);
    else if (r->verdict[i] == GOLDEN_REJECTED)
        st = STYLE(STYLE_DIM);
    canvas_printf(c, 1, y, c->cols - 2, st, "%s%zu of %zu  %s, line %zu: %zu removed, %zu added",
                  verdicts[r->verdict[i]], i + 1, r->d->n, h->title, h->stored_from + 1,
                  h->stored_n, h->run_n);
    if (i == r->at)
        canvas_restyle(c, (struct rect){0, y, c->cols, 1}, STYLE(STYLE_SELECTED));
}

/* Draws the hunks around the shown one. Returns the rows used. */
static int draw_hunks(const struct golden_review *r, struct canvas *c, int y)
{
    const int most = c->rows / LIST_SHARE > 1 ? c->rows / LIST_SHARE : 1;
    const int n = r->d->n < (size_t)most ? (int)r->d->n : most;
    size_t first = r->at >= (size_t)n ? r->at - (size_t)n + 1 : 0;
    for (int i = 0; i < n; i++)
        draw_hunk_row(r, c, y + i, first + (size_t)i);
    return n;
}

static struct style line_style(const char *line)
{
    if (line[0] == '-')
        return STYLE(STYLE_WARN);
    if (line[0] == '+')
        return STYLE(STYLE_OK);
    return line[0] == '@' ? STYLE(STYLE_HEADING) : STYLE(STYLE_DIM);
}

static void draw_text(struct golden_review *r, struct canvas *c, struct rect area, char *text)
{
    int n = 0;
    for (const char *p = text; *p; p++)
        n += *p == '\n';
    r->lines = n;
    r->page = area.h;
    r->scroll = limit_int(r->scroll, 0, n - area.h);
    n = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), n++)
        if (n >= r->scroll && n - r->scroll < area.h)
            canvas_text(c, area.x, area.y + n - r->scroll, area.w, line, line_style(line));
}

static void draw_hunk(struct golden_review *r, struct canvas *c, struct rect area)
{
    char *text = NULL;
    size_t len = 0;
    if (r->d->n == 0)
        return;
    FILE *f = open_memstream(&text, &len);
    const struct golden_diff one = {.list = &r->d->list[r->at], .n = 1, .cap = 1};
    if (!f)
        return;
    golden_diff_write(f, r->stored, r->run, &one, CONTEXT);
    fclose(f);
    draw_text(r, c, area, text);
    free(text);
}

void golden_review_draw(struct golden_review *r, struct canvas *c)
{
    canvas_clear(c);
    canvas_printf(c, 1, 0, c->cols - 2, STYLE(STYLE_TITLE),
                  "golden trace %s: %zu %s, %zu accepted, %zu rejected", r->name, r->d->n,
                  plural(r->d->n, "difference", "differences"),
                  golden_review_count(r, GOLDEN_ACCEPTED), golden_review_count(r, GOLDEN_REJECTED));
    const int used = HEAD + draw_hunks(r, c, HEAD);
    canvas_fill(c, (struct rect){0, used, c->cols, 1}, 0x2500, STYLE(STYLE_DIV));
    draw_hunk(r, c, (struct rect){1, used + 1, c->cols - 2, c->rows - used - 1 - FOOT});
    canvas_text(c, 1, c->rows - FOOT, c->cols - 2,
                "a accept  r reject  u undo  j k move  A all  w store  q leave  PgDn PgUp scroll",
                STYLE(STYLE_DIM));
}

/* --- keys --- */

static void go_to_hunk(struct golden_review *r, bool on)
{
    const size_t to = on ? r->at + 1 : r->at - 1;
    if (on ? to >= r->d->n : r->at == 0)
        return;
    r->at = to;
    r->scroll = 0;
}

/* Decides about the shown hunk, and goes on to the next. */
static void decide_hunk(struct golden_review *r, enum golden_verdict v)
{
    if (r->d->n == 0)
        return;
    r->verdict[r->at] = (uint8_t)v;
    if (v != GOLDEN_UNDECIDED)
        go_to_hunk(r, true);
}

void golden_review_key(struct golden_review *r, uint32_t key)
{
    const int page = r->page > 1 ? r->page - 1 : 1;
    if (key == 'a')
        decide_hunk(r, GOLDEN_ACCEPTED);
    else if (key == 'r')
        decide_hunk(r, GOLDEN_REJECTED);
    else if (key == 'u')
        decide_hunk(r, GOLDEN_UNDECIDED);
    else if (key == 'A')
        memset(r->verdict, GOLDEN_ACCEPTED, r->d->n);
    else if (key == 'j' || key == KEY_DOWN_)
        go_to_hunk(r, true);
    else if (key == 'k' || key == KEY_UP_)
        go_to_hunk(r, false);
    else if (key == key_parse("PgDn") || key == ' ')
        r->scroll += page;
    else if (key == key_parse("PgUp"))
        r->scroll -= page;
    else if (key == 'w')
        r->over = r->store = true;
    else if (key == 'q' || key == KEY_ESCAPE || key == 3)
        r->over = true;
}

/* --- on a terminal --- */

static int show_review(struct golden_review *r, struct term *t, struct canvas *c,
                       const struct theme *theme)
{
    while (!r->over) {
        struct key_event key = {0};
        int cols, rows, signo = 0;
        term_size(t, &cols, &rows);
        if (cols != c->cols || rows != c->rows)
            canvas_resize(c, cols, rows);
        golden_review_draw(r, c);
        if (term_present(t, c, theme) < 0)
            return -EIO;
        switch (term_wait(t, -1, -1, &key, &signo)) {
        case TERM_KEY:
            golden_review_key(r, key.key);
            break;
        case TERM_SIGNAL:
            if (signo == SIGTSTP)
                term_suspend(t);
            else
                r->over = true;
            break;
        case TERM_HANGUP:
            r->over = true;
            break;
        default:
            break;
        }
    }
    return 0;
}

int golden_review_run(struct golden_review *r, const struct options *o, struct error *err)
{
    struct term *t = NULL;
    struct theme *theme = NULL;
    struct canvas c;
    canvas_init(&c);
    c.ascii = o->ascii || (!o->utf8 && !term_utf8());
    int rc = theme_load(&theme, o->theme ? o->theme : "rooftop-dark", err);
    const struct term_config config = {
        .depth = term_depth(o->color ? o->color : "auto"), .in_fd = 0, .out_fd = 1};
    if (rc == 0)
        rc = term_open(&t, &config, err);
    if (rc == 0)
        rc = show_review(r, t, &c, theme);
    if (t)
        term_close(t);
    if (theme)
        theme_free(theme);
    canvas_free(&c);
    return rc;
}
