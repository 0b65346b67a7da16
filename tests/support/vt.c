#include "vt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vterm.h>

#include "tui/canvas/canvas.h"

struct vt {
    VTerm *term;
    VTermScreen *screen;
    int cols, rows;
    bool visible, alternate;
    char *text, *row;
};

static int on_prop(VTermProp prop, VTermValue *val, void *user)
{
    struct vt *v = user;
    if (prop == VTERM_PROP_CURSORVISIBLE)
        v->visible = val->boolean;
    else if (prop == VTERM_PROP_ALTSCREEN)
        v->alternate = val->boolean;
    return 1;
}

struct vt *vt_new(int cols, int rows)
{
    static const VTermScreenCallbacks callbacks = {.settermprop = on_prop};
    struct vt *v = calloc(1, sizeof *v);
    v->cols = cols;
    v->rows = rows;
    v->visible = true;
    v->term = vterm_new(rows, cols);
    vterm_set_utf8(v->term, 1);
    v->screen = vterm_obtain_screen(v->term);
    vterm_screen_enable_altscreen(v->screen, 1);
    vterm_screen_set_callbacks(v->screen, &callbacks, v);
    vterm_screen_reset(v->screen, 1);
    return v;
}

void vt_free(struct vt *v)
{
    if (!v)
        return;
    vterm_free(v->term);
    free(v->text);
    free(v->row);
    free(v);
}

void vt_feed(struct vt *v, const char *bytes, size_t n)
{
    vterm_input_write(v->term, bytes, n);
}

void vt_resize(struct vt *v, int cols, int rows)
{
    v->cols = cols;
    v->rows = rows;
    vterm_set_size(v->term, rows, cols);
}

static size_t put_row(struct vt *v, int y, char *out)
{
    size_t n = 0, end = 0;
    for (int x = 0; x < v->cols; x++) {
        VTermScreenCell cell;
        if (!vterm_screen_get_cell(v->screen, (VTermPos){.row = y, .col = x}, &cell))
            continue;
        if (cell.chars[0] == (uint32_t)-1) /* the right half of a wide character */
            continue;
        n += text_encode(cell.chars[0] ? cell.chars[0] : ' ', out + n);
        if (cell.chars[0] && cell.chars[0] != ' ')
            end = n;
    }
    out[end] = 0;
    return end;
}

const char *vt_text(struct vt *v)
{
    size_t n = 0;
    free(v->text);
    v->text = malloc((size_t)v->rows * ((size_t)v->cols * 4 + 1) + 1);
    v->text[0] = 0;
    for (int y = 0; y < v->rows; y++) {
        n += put_row(v, y, v->text + n);
        v->text[n++] = '\n';
        v->text[n] = 0;
    }
    return v->text;
}

const char *vt_row(struct vt *v, int y)
{
    free(v->row);
    v->row = calloc((size_t)v->cols * 4 + 1, 1);
    if (y >= 0 && y < v->rows)
        put_row(v, y, v->row);
    return v->row;
}

bool vt_find(struct vt *v, const char *text, int *x, int *y)
{
    for (int row = 0; row < v->rows; row++) {
        const char *line = vt_row(v, row), *at = strstr(line, text);
        if (!at)
            continue;
        char *before = strndup(line, (size_t)(at - line));
        if (x)
            *x = text_width(before);
        if (y)
            *y = row;
        free(before);
        return true;
    }
    return false;
}

static uint32_t rgb(const struct vt *v, VTermColor c)
{
    vterm_screen_convert_color_to_rgb(v->screen, &c);
    return (uint32_t)c.rgb.red << 16 | (uint32_t)c.rgb.green << 8 | c.rgb.blue;
}

struct vt_cell vt_cell_at(struct vt *v, int x, int y)
{
    VTermScreenCell c;
    struct vt_cell cell = {0};
    if (!vterm_screen_get_cell(v->screen, (VTermPos){.row = y, .col = x}, &c))
        return cell;
    cell.ch = c.chars[0];
    cell.bold = c.attrs.bold;
    cell.underline = c.attrs.underline != 0;
    cell.reverse = c.attrs.reverse;
    cell.fg_set = !VTERM_COLOR_IS_DEFAULT_FG(&c.fg);
    cell.bg_set = !VTERM_COLOR_IS_DEFAULT_BG(&c.bg);
    cell.fg = rgb(v, c.fg);
    cell.bg = rgb(v, c.bg);
    return cell;
}

bool vt_cursor_visible(const struct vt *v)
{
    return v->visible;
}

bool vt_alternate(const struct vt *v)
{
    return v->alternate;
}

static bool is_color(long sgr)
{
    return (sgr >= 30 && sgr <= 38) || (sgr >= 40 && sgr <= 48) || (sgr >= 90 && sgr <= 97) ||
           (sgr >= 100 && sgr <= 107);
}

/* Counts the parameters of one SGR sequence, up to the 'm'. */
static void count_sgr(const char *p, const char *end, struct vt_count *out)
{
    bool color = false, direct = false;
    while (p < end) {
        const char *after = p; /* strtol would read on: the bytes do not end with a NUL */
        long sgr = 0;
        while (after < end && *after >= '0' && *after <= '9' && sgr < 1000)
            sgr = sgr * 10 + (*after++ - '0');
        if (after == p)
            break;
        color |= is_color(sgr);
        if ((sgr == 38 || sgr == 48) && after + 1 < end && (*after == ';' || *after == ':') &&
            after[1] == '2')
            direct = true;
        p = after < end ? after + 1 : end;
        if (sgr == 38 || sgr == 48)
            break; /* what follows are its arguments */
    }
    out->colors += color;
    out->direct += direct;
}

struct vt_count vt_count(const char *bytes, size_t n)
{
    struct vt_count out = {0};
    for (size_t i = 0; i < n; i++) {
        out.high += (unsigned char)bytes[i] > 127;
        if (bytes[i] != '\033' || i + 2 >= n || bytes[i + 1] != '[')
            continue;
        size_t end = i + 2;
        while (end < n && strchr("0123456789;:", bytes[end]) && bytes[end])
            end++;
        if (end < n && bytes[end] == 'm')
            count_sgr(bytes + i + 2, bytes + end, &out);
    }
    return out;
}
