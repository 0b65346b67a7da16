#include "tui/canvas/render.h"

#include "tui/canvas/canvas_impl.h"

static void write_ansi_color(FILE *out, int32_t c, enum color_depth depth, int base)
{
    if (c == COLOR_DEFAULT)
        return; /* every run starts from a reset */
    if (depth == DEPTH_TRUE)
        fprintf(out, ";%d;2;%d;%d;%d", base + 8, c >> 16 & 0xff, c >> 8 & 0xff, c & 0xff);
    else if (depth == DEPTH_256)
        fprintf(out, ";%d;5;%d", base + 8, c);
    else
        fprintf(out, ";%d", c < 8 ? base + c : base + 60 + c - 8);
}

static bool is_plain_look(const struct look *l)
{
    return l->fg == COLOR_DEFAULT && l->bg == COLOR_DEFAULT && !l->bold && !l->underline &&
           !l->reverse;
}

static void switch_to(FILE *out, const struct look *l, enum color_depth depth)
{
    fputs("\033[0", out);
    if (l->bold)
        fputs(";1", out);
    if (l->underline)
        fputs(";4", out);
    if (l->reverse)
        fputs(";7", out);
    write_ansi_color(out, l->fg, depth, 30);
    write_ansi_color(out, l->bg, depth, 40);
    fputc('m', out);
}

int render_ansi(FILE *out, const struct canvas *c, const struct theme *t, enum color_depth depth)
{
    char buf[4] = {0};
    for (int y = 0; y < c->rows; y++) {
        const struct cell *row = &c->cells[(size_t)y * (size_t)c->cols];
        struct look now = {.fg = COLOR_DEFAULT, .bg = COLOR_DEFAULT};
        for (int x = 0; x < c->cols; x++) {
            if (!row[x].ch)
                continue;
            struct look l = theme_look(t, row[x].style, depth);
            if (l.fg != now.fg || l.bg != now.bg || l.bold != now.bold ||
                l.underline != now.underline || l.reverse != now.reverse) {
                switch_to(out, &l, depth);
                now = l;
            }
            fwrite(buf, 1, text_encode(row[x].ch, buf), out);
        }
        fputs(is_plain_look(&now) ? "\n" : "\033[0m\n", out);
    }
    return render_finish(out);
}
