#include "tui/widgets/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "base/text.h"
#include "tui/widgets/cut.h"

void table_bar(double percent, int w, char text[TABLE_CELL_MAX])
{
    static const char *const parts[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    int eighths = percent > 0 ? (int)(percent / 100 * w * 8 + 0.5) : 0;
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; i < w && n + 4 < TABLE_CELL_MAX; i++) {
        const int part = limit_int(eighths - 8 * i, 0, 8);
        n += (size_t)snprintf(text + n, TABLE_CELL_MAX - n, "%s", parts[part]);
    }
}

void table_fields(struct table_fields *out, const struct list_field *fields)
{
    const struct list_field *all[FIELDS_MAX];
    int n = list_fields(fields, FIELD_COLUMNS, all);
    out->n = n < TABLE_MAX_COLUMNS ? n : TABLE_MAX_COLUMNS;
    for (int i = 0; i < out->n; i++) {
        out->field[i] = all[i];
        out->columns[i] = all[i]->column.look;
    }
}

void table_fields_remove(struct table_fields *t, const struct list_field *field)
{
    int kept = 0;
    for (int i = 0; i < t->n; i++)
        if (t->field[i] != field) {
            t->field[kept] = t->field[i];
            t->columns[kept++] = t->columns[i];
        }
    t->n = kept;
}

/* The order that a click on the head of a column takes, -1 none. */
static int find_column_order(const struct list_field *f)
{
    return (f->column.sort ? f->column.sort : f->sort.at) - 1;
}

int table_fields_sorted(const struct table_fields *t, int i)
{
    for (int c = 0; c < t->n; c++)
        if (find_column_order(t->field[c]) == i)
            return c;
    return -1;
}

void table_field_text(const struct list_field *f, const void *row, const char *unknown,
                      char text[TABLE_CELL_MAX])
{
    char buf[FIELD_TEXT_MAX], number[VALUE_TEXT_MAX];
    if (f->text) {
        snprintf(text, TABLE_CELL_MAX, "%s", f->text(row, buf));
        return;
    }
    if (f->value) {
        struct value own = f->value(row);
        snprintf(text, TABLE_CELL_MAX, "%s", value_format(&own, false, number));
        return;
    }
    double v = list_field_number(f, row);
    struct value value = value_ok(v, f->unit);
    if (isnan(v))
        snprintf(text, TABLE_CELL_MAX, "%s", unknown);
    else if (f->count == FIELD_IN_NS)
        snprintf(text, TABLE_CELL_MAX, "%s", value_time(list_field_raw(f, row), true, number));
    else if (f->unit == UNIT_PERCENT)
        snprintf(text, TABLE_CELL_MAX, "%.1f", v);
    else if (f->unit == UNIT_COUNT || f->unit == UNIT_NONE)
        snprintf(text, TABLE_CELL_MAX, "%.0f", v);
    else
        snprintf(text, TABLE_CELL_MAX, "%s", value_format(&value, true, number));
}

bool table_contains(const char *haystack, const char *needle)
{
    return !*needle || strcasestr(haystack, needle) != NULL;
}

bool table_act(enum action a, struct view_state *st)
{
    int page = st->page > 1 ? st->page - 1 : 1;
    switch (a) {
    case ACTION_UP:
        st->selected--;
        break;
    case ACTION_DOWN:
        st->selected++;
        break;
    case ACTION_PAGE_UP:
        st->selected -= page;
        break;
    case ACTION_PAGE_DOWN:
        st->selected += page;
        break;
    case ACTION_TOP:
        st->selected = 0;
        break;
    case ACTION_BOTTOM:
        st->selected = st->rows - 1;
        break;
    case ACTION_SEARCH_NEXT:
        st->find = 1;
        return true;
    case ACTION_SEARCH_PREV:
        st->find = -1;
        return true;
    default:
        return false;
    }
    st->step = a == ACTION_UP || a == ACTION_PAGE_UP ? -1 : 1;
    st->follow = true;
    st->pinned = false;
    st->selected_key[0] = '\0'; /* chosen by number: the next draw finds the key of the row */
    return true;
}

/* Takes `excess` cells from the flexible column, then from the last ones: nothing is drawn beside
 * the table. */
static void shrink_columns(const struct table *t, int excess, int width[TABLE_MAX_COLUMNS])
{
    enum { LEAST = 4 };
    for (int i = 0; i < t->ncolumns && excess > 0; i++)
        if (t->columns[i].flex && width[i] > LEAST) {
            const int less = width[i] - LEAST < excess ? width[i] - LEAST : excess;
            width[i] -= less;
            excess -= less;
        }
    for (int i = t->ncolumns - 1; i >= 0 && excess > 0; i--)
        if (width[i] > 0) {
            const int gap = width[i] <= excess; /* a column that goes takes its gap with it */
            const int less = gap ? width[i] : excess;
            width[i] -= less;
            excess -= less + gap;
        }
}

/* Drops columns by priority until the rest fits. Fills widths; 0 = dropped. */
static void fit_columns(const struct table *t, int room, int width[TABLE_MAX_COLUMNS])
{
    bool shown[TABLE_MAX_COLUMNS];
    int need = 0;
    for (int i = 0; i < t->ncolumns; i++) {
        shown[i] = true;
        need += t->columns[i].width + 1;
    }
    while (need - 1 > room) {
        int worst = -1;
        for (int i = 0; i < t->ncolumns; i++)
            if (shown[i] && t->columns[i].priority > 0 &&
                (worst < 0 || t->columns[i].priority >= t->columns[worst].priority))
                worst = i;
        if (worst < 0)
            break;
        shown[worst] = false;
        need -= t->columns[worst].width + 1;
    }
    for (int i = 0; i < t->ncolumns; i++) {
        width[i] = shown[i] ? t->columns[i].width : 0;
        if (shown[i] && t->columns[i].flex && room > need - 1)
            width[i] += room - (need - 1);
    }
    shrink_columns(t, need - 1 - room, width);
}

static bool is_heading(const struct table *t, int row)
{
    return t->heading && t->heading(t->ctx, (size_t)row);
}

static bool passed_over(const struct table *t, int row)
{
    return is_heading(t, row) || (t->passed && t->passed(t->ctx, (size_t)row));
}

/* The nearest row from `row` on, in steps of `step`, that the cursor may stand on; -1 if none. */
static int find_selectable_row(const struct table *t, int row, int step)
{
    while (row >= 0 && row < (int)t->nrows && passed_over(t, row))
        row += step;
    return row >= 0 && row < (int)t->nrows ? row : -1;
}

static bool has_key(const struct table *t, int row, const char *key)
{
    char k[VIEW_TEXT_MAX];
    if (passed_over(t, row))
        return false;
    t->key(t->ctx, (size_t)row, k);
    return strcmp(k, key) == 0;
}

static int find_key(const struct table *t, const char *key, int last)
{
    if (t->find)
        return t->find(t->ctx, key, last);
    if (last >= 0 && last < (int)t->nrows && has_key(t, last, key))
        return last;
    for (int i = 0; i < (int)t->nrows; i++)
        if (has_key(t, i, key))
            return i;
    return -1;
}

/* For n and N: goes to the next match from the cursor on, and from the end to the start. */
static void find_match(const struct table *t, struct view_state *st)
{
    int n = (int)t->nrows, step = st->find, from = st->selected;
    st->find = 0;
    if (!t->match || !st->search[0] || n == 0)
        return;
    for (int k = step == 2 ? 0 : 1; k <= n; k++) {
        int row = ((from + (step > 0 ? k : -k)) % n + n) % n;
        if (!passed_over(t, row) && t->match(t->ctx, (size_t)row, st->search)) {
            st->selected = row;
            st->follow = true;
            st->pinned = false;
            st->selected_key[0] = '\0';
            return;
        }
    }
}

/* The last row that belongs to the selected one: rows that the cursor skips go on with it. */
static int find_last_part(const struct table *t, int row)
{
    while (row + 1 < (int)t->nrows && passed_over(t, row + 1) && !is_heading(t, row + 1))
        row++;
    return row;
}

static void settle_table_window(const struct table *t, struct view_state *st, int page)
{
    int n = (int)t->nrows, step = st->step ? st->step : 1;
    if (st->follow && st->selected_key[0]) {
        int row = find_key(t, st->selected_key, st->selected);
        if (row >= 0)
            st->selected = row;
        else
            st->pinned = false; /* the row is gone or filtered out */
    }
    if (st->find)
        find_match(t, st);
    st->selected = st->selected >= n ? n - 1 : st->selected;
    st->selected = st->selected < 0 ? 0 : st->selected;
    int row = find_selectable_row(t, st->selected, step);
    st->selected = row >= 0 ? row : find_selectable_row(t, st->selected, -step);
    st->rows = n;
    st->page = page;
    if (st->selected < 0) {
        st->selected = 0;
        st->selected_key[0] = '\0';
        st->scroll = 0;
        return;
    }
    t->key(t->ctx, (size_t)st->selected, st->selected_key);
    int first =
        st->selected > 0 && is_heading(t, st->selected - 1) ? st->selected - 1 : st->selected;
    if (st->scroll > first)
        st->scroll = first;
    int last = find_last_part(t, st->selected);
    last = last > st->selected + page - 1 ? st->selected + page - 1 : last;
    if (last >= st->scroll + page)
        st->scroll = last - page + 1;
    if (st->scroll > n - page)
        st->scroll = n - page;
    if (st->scroll < 0)
        st->scroll = 0;
}

static void draw_table_head(struct canvas *c, struct rect r, const struct table *t,
                            const int *width)
{
    int x = r.x;
    for (int i = 0; i < t->ncolumns; i++) {
        if (!width[i])
            continue;
        char title[64];
        bool sorted = i == t->sort;
        const char *arrow = t->reverse ? "▴" : "▾";
        snprintf(title, sizeof title, "%s%s", t->columns[i].title, sorted ? arrow : "");
        struct style st = STYLE(STYLE_HEADING);
        st.underline = sorted;
        int need = text_width(title), at = x;
        need = need < width[i] ? need : width[i];
        if (t->columns[i].right)
            at = x + width[i] - need;
        canvas_text(c, at, r.y, need, title, st);
        int sort = -1;
        if (t->fields)
            sort = find_column_order(t->fields->field[i]);
        else if (t->sort_of)
            sort = t->sort_of(i);
        if (sort >= 0)
            canvas_zone(c, (struct rect){at, r.y, need, 1}, ACTION_SORT_NEXT, sort + 1);
        x += width[i] + 1;
    }
}

/* Whether a text is words, as an explanation is, and not a name. */
static bool is_prose(const char *text)
{
    enum { WORDS = 4 };
    int words = 1;
    for (const char *p = text; *p; p++)
        words += *p == ' ';
    const bool sentence = *text && text[strlen(text) - 1] == '.';
    return words >= WORDS && (sentence || !strpbrk(text, "_/<[:="));
}

/* Cuts the name in a cell so that it differs from those of the rows above and below. Prose is not
 * cut so: it is read from its begin. */
static void cut_cell_apart(const struct table *t, size_t row, int column, int cells, bool ascii,
                           char text[TABLE_CELL_MAX])
{
    for (int step = -1; step <= 1 && !is_prose(text); step += 2) {
        char beside[TABLE_CELL_MAX] = "", whole[TABLE_CELL_MAX];
        struct style st = STYLE(STYLE_TEXT);
        const size_t other = row + (size_t)step; /* before the first row: a large number */
        if (other >= t->nrows || is_heading(t, (int)other))
            continue;
        t->cell(t->ctx, other, column, beside, &st);
        if (!cut_looks_same(text, beside, cells))
            continue;
        snprintf(whole, sizeof whole, "%s", text);
        cut_apart(text, TABLE_CELL_MAX, whole, beside, cells, ascii);
        return;
    }
}

static void draw_table_row(struct canvas *c, int x0, int y, int w, const struct table *t,
                           size_t row, const int *width, const struct view_state *vs)
{
    char text[TABLE_CELL_MAX];
    int x = x0;
    bool hit = vs->search[0] && t->match && t->match(t->ctx, row, vs->search);
    for (int i = 0; i < t->ncolumns; i++) {
        if (!width[i])
            continue;
        struct style st = STYLE(STYLE_TEXT);
        text[0] = '\0';
        t->cell(t->ctx, row, i, text, &st);
        if (hit)
            st.underline = 1;
        if (!t->columns[i].right && text_width(text) > width[i])
            cut_cell_apart(t, row, i, width[i], c->ascii, text);
        if (t->columns[i].right)
            canvas_text_right(c, x, y, width[i], text, st);
        else
            canvas_text(c, x, y, width[i], text, st);
        if (t->paint)
            t->paint(t->ctx, row, i, c, (struct rect){x, y, width[i], 1});
        x += width[i] + 1;
    }
    if ((int)row != vs->selected)
        return;
    canvas_select(c, (struct rect){x0, y, w, 1});
    if (vs->pinned) /* on the frame, where no column is */
        canvas_put(c, x0 - 1, y, 0x25c6, STYLE(STYLE_HOT));
}

static void draw_heading(struct canvas *c, int x, int y, int w, const struct table *t, size_t row)
{
    char text[TABLE_CELL_MAX] = "";
    struct style st = STYLE(STYLE_TITLE);
    t->cell(t->ctx, row, 0, text, &st);
    canvas_heading(c, x, y, w, text, STYLE(STYLE_TITLE));
}

/* Draws the position of the page in the list on the right edge of r. */
static void draw_scrollbar(struct canvas *c, struct rect r, const struct view_state *st)
{
    if (st->rows <= r.h || r.h < 2)
        return;
    int size = r.h * r.h / st->rows, room;
    size = size < 1 ? 1 : size;
    room = r.h - size;
    int at = st->rows > r.h ? st->scroll * room / (st->rows - r.h) : 0;
    for (int i = 0; i < r.h; i++)
        canvas_put(c, r.x + r.w, r.y + i, i >= at && i < at + size ? 0x2588 : 0x2502,
                   STYLE(i >= at && i < at + size ? STYLE_DIM : STYLE_DIV));
}

/* If the columns are those of fields, fills in the members that follow from them. */
static struct table complete_table(const struct table *told, const struct view_state *st)
{
    struct table t = *told;
    if (t.fields && !t.columns) {
        t.columns = t.fields->columns;
        t.ncolumns = t.fields->n;
        t.sort = table_fields_sorted(t.fields, st->sort);
    }
    return t;
}

void table_draw(struct canvas *c, struct rect r, const struct table *told, struct view_state *st)
{
    const struct table own = complete_table(told, st), *t = &own;
    int width[TABLE_MAX_COLUMNS] = {0};
    if (r.w < 4 || r.h < 2) {
        settle_table_window(t, st, 1); /* keys move the cursor although nobody sees it */
        return;
    }
    struct rect body = {r.x, r.y + 1, r.w - 1, r.h - 1};
    fit_columns(t, body.w, width);
    for (int i = 0; i < t->ncolumns && t->flexible; i++)
        if (t->columns[i].flex)
            *t->flexible = width[i];
    settle_table_window(t, st, body.h);
    st->list = body;
    draw_table_head(c, r, t, width);
    for (int i = 0; i < body.h && st->scroll + i < (int)t->nrows; i++) {
        size_t row = (size_t)st->scroll + (size_t)i;
        if (is_heading(t, (int)row))
            draw_heading(c, body.x, body.y + i, body.w, t, row);
        else
            draw_table_row(c, body.x, body.y + i, body.w, t, row, width, st);
    }
    draw_scrollbar(c, body, st);
}
