#include "tui/widgets/line_edit.h"

#include <string.h>

static size_t limit_of(const struct line_edit *e)
{
    return e->limit && e->limit < LINE_EDIT_MAX ? e->limit : LINE_EDIT_MAX;
}

static bool is_utf8_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The byte after the character at `at` and its combining marks, which take no cell. */
static size_t find_next_char(const struct line_edit *e, size_t at)
{
    if (!e->text[at])
        return at;
    do {
        at++;
        while (is_utf8_continuation(e->text[at]))
            at++;
        const char *p = e->text + at;
        if (!*p || text_char_width(text_next_shown(&p)) > 0)
            return at;
    } while (true);
}

static size_t character_before(const struct line_edit *e, size_t at)
{
    const char *p = e->text + at;
    while (p > e->text) {
        do
            p--;
        while (p > e->text && is_utf8_continuation(*p));
        const char *next = p;
        if (text_char_width(text_next_shown(&next)) > 0)
            break;
    }
    return (size_t)(p - e->text);
}

static enum line_edit_result move_cursor_to(struct line_edit *e, size_t to)
{
    e->cursor = to;
    return LINE_EDIT_MOVED;
}

/* Removes [from, to) and moves the cursor there. */
static enum line_edit_result cut_line_part(struct line_edit *e, size_t from, size_t to)
{
    if (from >= to)
        return LINE_EDIT_MOVED;
    memmove(e->text + from, e->text + to, strlen(e->text + to) + 1);
    e->cursor = from;
    return LINE_EDIT_CHANGED;
}

static size_t word_before(const struct line_edit *e)
{
    size_t at = e->cursor;
    while (at > 0 && e->text[at - 1] == ' ')
        at--;
    while (at > 0 && e->text[at - 1] != ' ')
        at--;
    return at;
}

static enum line_edit_result insert_key(struct line_edit *e, uint32_t key)
{
    char utf8[4];
    size_t used = strlen(e->text), n;
    if (key < 0x20 || key > 0x10ffff || (key >= 0x7f && key < 0xa0))
        return LINE_EDIT_IGNORED;
    if (key >= 0xd800 && key <= 0xdfff) /* a UTF-16 surrogate is not a character */
        return LINE_EDIT_MOVED;
    n = text_encode(key, utf8);
    if (used + n >= limit_of(e))
        return LINE_EDIT_MOVED;
    memmove(e->text + e->cursor + n, e->text + e->cursor, used - e->cursor + 1);
    memcpy(e->text + e->cursor, utf8, n);
    e->cursor += n;
    return LINE_EDIT_CHANGED;
}

void line_edit_set(struct line_edit *e, const char *text)
{
    size_t n = strlen(text), room = limit_of(e) - 1;
    if (n > room)
        for (n = room; n > 0 && is_utf8_continuation(text[n]); n--)
            ;
    memmove(e->text, text, n);
    e->text[n] = '\0';
    e->cursor = n;
    e->scroll = 0;
}

enum { CTRL_A = 1, CTRL_B = 2, CTRL_D = 4, CTRL_E = 5, CTRL_F = 6 };
enum { CTRL_H = 8, CTRL_K = 11, CTRL_U = 21, CTRL_W = 23 };

enum line_edit_result line_edit_key(struct line_edit *e, uint32_t key)
{
    size_t end = strlen(e->text);
    switch (key) {
    case KEY_LEFT_:
    case CTRL_B:
        return move_cursor_to(e, character_before(e, e->cursor));
    case KEY_RIGHT_:
    case CTRL_F:
        return move_cursor_to(e, find_next_char(e, e->cursor));
    case KEY_HOME_:
    case CTRL_A:
        return move_cursor_to(e, 0);
    case KEY_END_:
    case CTRL_E:
        return move_cursor_to(e, end);
    case KEY_BACKSPACE_:
    case CTRL_H:
        return cut_line_part(e, character_before(e, e->cursor), e->cursor);
    case KEY_DELETE:
    case CTRL_D:
        return cut_line_part(e, e->cursor, find_next_char(e, e->cursor));
    case CTRL_W:
        return cut_line_part(e, word_before(e), e->cursor);
    case CTRL_U:
        return cut_line_part(e, 0, e->cursor);
    case CTRL_K:
        e->text[e->cursor] = '\0';
        return end > e->cursor ? LINE_EDIT_CHANGED : LINE_EDIT_MOVED;
    default:
        return insert_key(e, key);
    }
}

/* The number of cells of the text before byte `at`. */
static int cells_before(const struct line_edit *e, size_t at)
{
    int w = 0;
    for (const char *p = e->text; p < e->text + at;)
        w += text_char_width(text_next_shown(&p));
    return w;
}

void line_edit_draw(struct canvas *c, int x, int y, int w, struct line_edit *e, struct style st)
{
    int at = cells_before(e, e->cursor), pos = 0;
    if (w < 2)
        return;
    if (at < e->scroll)
        e->scroll = at;
    if (at >= e->scroll + w)
        e->scroll = at - w + 1;
    canvas_fill(c, (struct rect){x, y, w, 1}, ' ', st);
    for (const char *p = e->text; *p;) {
        uint32_t ch = text_next_shown(&p);
        int cw = text_char_width(ch);
        if (pos >= e->scroll && pos + cw <= e->scroll + w)
            canvas_put(c, x + pos - e->scroll, y, ch, st);
        pos += cw;
    }
    struct style cursor = st;
    cursor.reverse = !st.reverse;
    const char *p = e->text + e->cursor;
    int under = *p ? text_char_width(text_next_shown(&p)) : 1;
    canvas_restyle(c, (struct rect){x + at - e->scroll, y, under < 1 ? 1 : under, 1}, cursor);
}
