#include <errno.h>

#include "tui/canvas/canvas_impl.h"
#include "tui/canvas/render.h"

static const struct cell *canvas_row(const struct canvas *c, int y)
{
    return &c->cells[(size_t)y * (size_t)c->cols];
}

int render_finish(FILE *out)
{
    if (!ferror(out))
        return 0;
    return errno ? -errno : -EIO;
}

int render_text(FILE *out, const struct canvas *c)
{
    char buf[4] = {0};
    for (int y = 0; y < c->rows; y++) {
        const struct cell *row = canvas_row(c, y);
        int end = c->cols;
        while (end > 0 && (row[end - 1].ch == ' ' || row[end - 1].ch == 0x2800))
            end--;
        for (int x = 0; x < end; x++)
            if (row[x].ch)
                fwrite(buf, 1, text_encode(row[x].ch, buf), out);
        fputc('\n', out);
    }
    return render_finish(out);
}

int render_styles(FILE *out, const struct canvas *c)
{
    for (int y = 0; y < c->rows; y++) {
        const struct cell *row = canvas_row(c, y);
        for (int x = 0; x < c->cols; x++)
            fputc(style_table[row[x].style.role].letter, out); /* raw: a letter from style_table */
        fputc('\n', out);
    }
    return render_finish(out);
}
