#include "base/print.h"
#include "tui/canvas/canvas_impl.h"
#include "tui/canvas/render.h"

/*
 * Size of a cell in user units, with the proportions of common monospace fonts. Text is stretched
 * to fit.
 */
enum { CELL_W = 8, CELL_H = 17, BASELINE = 13, MARGIN = 10 };

static void write_escaped_char(FILE *out, uint32_t ch)
{
    char buf[4] = {0};
    if (ch == ' ')
        /* raw: written by rooftop. An ordinary blank would be merged with its neighbours */
        fputs("&#160;", out);
    else
        print_put_n(out, PRINT_XML, buf, text_encode(ch, buf));
}

static bool is_same_look(const struct look *a, const struct look *b)
{
    return a->fg == b->fg && a->bg == b->bg && a->bold == b->bold && a->underline == b->underline &&
           a->reverse == b->reverse;
}

/* Replaces the terminal's own colours by the nominal ones of the theme. */
static struct look shown_look(const struct theme *t, struct style st, int32_t fg, int32_t bg)
{
    struct look l = theme_look(t, st, DEPTH_TRUE);
    l.fg = l.fg == COLOR_DEFAULT ? fg : l.fg;
    l.bg = l.bg == COLOR_DEFAULT ? bg : l.bg;
    if (l.reverse) {
        int32_t swap = l.fg;
        l.fg = l.bg;
        l.bg = swap;
    }
    return l;
}

/*
 * Draws braille and blocks as shapes, because few fonts have them and fallback fonts differ in
 * width. Dot i of braille stands for bit i of the code point.
 */
static void write_shape(FILE *out, int x, int y, uint32_t ch)
{
    static const struct {
        int x, y;
    } dot[8] = {{1, 1}, {1, 5}, {1, 9}, {5, 1}, {5, 5}, {5, 9}, {1, 13}, {5, 13}};
    if (ch >= 0x2800 && ch <= 0x28ff) {
        for (int i = 0; i < 8; i++)
            if (ch >> i & 1)
                fprintf(out, "M%d %dh2v3h-2z", x + dot[i].x, y + dot[i].y);
    } else if (ch <= 0x2588) { /* lower eighths */
        int h = (int)(ch - 0x2580) * CELL_H / 8;
        fprintf(out, "M%d %dh%dv%dh-%dz", x, y + CELL_H - h, CELL_W, h, CELL_W);
    } else { /* left eighths */
        int w = (int)(0x2590 - ch) * CELL_W / 8;
        fprintf(out, "M%d %dh%dv%dh-%dz", x, y, w, CELL_H, w);
    }
}

static bool is_shape(uint32_t ch)
{
    return (ch >= 0x2800 && ch <= 0x28ff) || (ch >= 0x2581 && ch <= 0x258f);
}

/* Writes the shapes of a run of cells as one path. */
static void write_shapes_path(FILE *out, const struct cell *cells, int px, int py, int n,
                              const struct look *l)
{
    bool any = false;
    for (int i = 0; i < n; i++) {
        if (!is_shape(cells[i].ch))
            continue;
        if (!any)
            fprintf(out, "<path fill=\"#%06x\" d=\"", (unsigned)l->fg);
        write_shape(out, px + i * CELL_W, py, cells[i].ch);
        any = true;
    }
    if (any)
        fputs("\"/>\n", out);
}

/*
 * Writes a run of cells of the same look as one text element, so that it can be selected as text.
 */
static void put_run(FILE *out, const struct cell *cells, int x, int y, int n, const struct look *l,
                    int32_t page)
{
    int px = MARGIN + x * CELL_W, py = MARGIN + y * CELL_H;
    bool blank = true;
    for (int i = 0; i < n; i++)
        blank = blank && (cells[i].ch == ' ' || cells[i].ch == 0 || is_shape(cells[i].ch));
    if (l->bg != page)
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", px,
                py, n * CELL_W, CELL_H, (unsigned)l->bg);
    write_shapes_path(out, cells, px, py, n, l);
    if (blank && !l->underline)
        return;
    fprintf(out, "<text x=\"%d\" y=\"%d\" fill=\"#%06x\" textLength=\"%d\"", px, py + BASELINE,
            (unsigned)l->fg, n * CELL_W);
    fputs(l->bold ? " font-weight=\"bold\"" : "", out);
    fputs(l->underline ? " text-decoration=\"underline\">" : ">", out);
    for (int i = 0; i < n; i++)
        if (cells[i].ch)
            write_escaped_char(out, is_shape(cells[i].ch) ? ' ' : cells[i].ch);
    fputs("</text>\n", out);
}

/* Whether the theme's text is light; an unset background then means a dark terminal. */
static bool is_dark_theme(int32_t fg)
{
    int r = fg >> 16 & 0xff, g = fg >> 8 & 0xff, b = fg & 0xff;
    return 299 * r + 587 * g + 114 * b > 127500; /* ITU-R BT.601 luma */
}

int render_svg(FILE *out, const struct canvas *c, const struct theme *t)
{
    int32_t fg = theme_color(t, "main_fg"), page = theme_color(t, "main_bg");
    if (fg < 0)
        fg = 0xcccccc;
    if (page < 0)
        page = is_dark_theme(fg) ? 0x14181d : 0xfbfbf9;
    int w = c->cols * CELL_W + 2 * MARGIN, h = c->rows * CELL_H + 2 * MARGIN;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, "
            "monospace\" font-size=\"13.29\" xml:space=\"preserve\">\n"
            "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#%06x\"/>\n",
            w, h, w, h, w, h, (unsigned)page);
    for (int y = 0; y < c->rows; y++) {
        const struct cell *row = &c->cells[(size_t)y * (size_t)c->cols];
        for (int x = 0; x < c->cols;) {
            struct look l = shown_look(t, row[x].style, fg, page), next = l;
            int n = 1;
            while (x + n < c->cols) {
                next = shown_look(t, row[x + n].style, fg, page);
                if (!is_same_look(&l, &next))
                    break;
                n++;
            }
            put_run(out, row + x, x, y, n, &l, page);
            x += n;
        }
    }
    fputs("</svg>\n", out);
    return render_finish(out);
}
