#include "tui/widgets/wrap.h"

#include <stdio.h>
#include <string.h>

/* Whether the word is a unit, which stays beside its number: "5.0 %", "12 GiB", "3 ms". */
static bool is_unit_word(const char *word)
{
    static const char *const units[] = {"s", "ms",  "us",  "µs",  "ns",  "min", "h",
                                        "B", "KiB", "MiB", "GiB", "TiB", "FLOP"};
    const size_t n = strcspn(word, " ,;:.)/");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (n == strlen(units[i]) && memcmp(word, units[i], n) == 0)
            return true;
    return false;
}

/* Whether a row may end before the blank at p. A percent sign stays also with what is no number. */
static bool is_break(const char *text, const char *p)
{
    const bool number = p > text && p[-1] >= '0' && p[-1] <= '9';
    return *p == ' ' && !(number && is_unit_word(p + 1)) && p[1] != '%';
}

size_t wrap_bytes(const char *text, int w)
{
    const char *p = text, *blank = NULL;
    for (int used = 0; *p;) {
        const char *before = p;
        used += text_char_width(text_next_shown(&p));
        if (used > w && blank)
            return (size_t)(blank - text);
        if (used > w)
            return (size_t)((before > text ? before : p) - text);
        if (is_break(text, p))
            blank = p;
    }
    return (size_t)(p - text);
}

int wrap_draw(struct canvas *c, struct rect r, const char *text, struct style st)
{
    char line[1024];
    int row = 0;
    for (; *text && row < r.h; row++) {
        size_t n = wrap_bytes(text, r.w);
        bool rest = row == r.h - 1 && text[n];
        snprintf(line, sizeof line, "%.*s", rest ? (int)sizeof line - 1 : (int)n, text);
        if (c)
            canvas_text(c, r.x, r.y + row, r.w, line, st);
        text += n + strspn(text + n, " ");
    }
    return row;
}

void lines_draw(struct canvas *c, struct rect r, const char *title, const char *const *lines,
                size_t n)
{
    const int end = r.y + r.h;
    int y = r.y + 1;
    y += wrap_draw(c, (struct rect){r.x, y, r.w, end - y}, title, STYLE(STYLE_TITLE)) + 1;
    for (size_t i = 0; i < n && y < end; i++) {
        const bool example = lines[i][0] == ' ';
        if (!lines[i][0])
            y++;
        else if (example)
            canvas_text(c, r.x, y++, r.w, lines[i], STYLE(STYLE_TEXT));
        else
            y += wrap_draw(c, (struct rect){r.x, y, r.w, end - y}, lines[i], STYLE(STYLE_DIM));
    }
}
