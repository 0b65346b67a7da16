#include "tui/widgets/form.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 16, WIDTH = 76 };

void form_reset(struct form *f)
{
    *f = (struct form){0};
}

static struct form_field *add_form_field(struct form *f, const char *name, const char *label,
                                         const char *help)
{
    struct form_field *x = &f->field[f->n < FORM_FIELDS_MAX ? f->n++ : FORM_FIELDS_MAX - 1];
    *x = (struct form_field){.name = name, .label = label, .help = help};
    return x;
}

static void set_number_field(struct form_field *x, enum form_type type, double min, double max,
                             double value)
{
    char text[32];
    x->type = type;
    x->min = min;
    x->max = max;
    snprintf(text, sizeof text, "%.15g", value);
    line_edit_set(&x->line, text);
}

void form_number(struct form *f, const char *name, const char *label, double min, double max,
                 double value, const char *help)
{
    set_number_field(add_form_field(f, name, label, help), FORM_NUMBER, min, max, value);
}

void form_seconds(struct form *f, const char *name, const char *label, double min, double max,
                  double value, const char *help)
{
    set_number_field(add_form_field(f, name, label, help), FORM_SECONDS, min, max, value);
}

void form_text(struct form *f, const char *name, const char *label, const char *value,
               const char *help)
{
    struct form_field *x = add_form_field(f, name, label, help);
    x->type = FORM_TEXT;
    line_edit_set(&x->line, value);
}

void form_flag(struct form *f, const char *name, const char *label, bool on, const char *why_off,
               const char *help)
{
    struct form_field *x = add_form_field(f, name, label, help);
    x->type = FORM_FLAG;
    x->on = on;
    x->why_off = why_off;
}

void form_choice(struct form *f, const char *name, const char *label, const char *const *choices,
                 size_t n, size_t chosen, const char *help)
{
    struct form_field *x = add_form_field(f, name, label, help);
    x->type = FORM_CHOICE;
    x->choices = choices;
    x->nchoices = n;
    x->chosen = chosen;
}

struct form_field *form_find(struct form *f, const char *name)
{
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->field[i].name, name) == 0)
            return &f->field[i];
    abort();
}

static const struct form_field *find_form_field(const struct form *f, const char *name)
{
    return form_find((struct form *)f, name); /* the form is not changed */
}

double form_value(const struct form *f, const char *name)
{
    return strtod(find_form_field(f, name)->line.text, NULL);
}

const char *form_string(const struct form *f, const char *name)
{
    return find_form_field(f, name)->line.text;
}

bool form_on(const struct form *f, const char *name)
{
    return find_form_field(f, name)->on;
}

size_t form_chosen(const struct form *f, const char *name)
{
    return find_form_field(f, name)->chosen;
}

void form_wrong(struct form *f, const char *name, const char *why)
{
    struct form_field *x = form_find(f, name);
    snprintf(x->wrong, sizeof x->wrong, "%s", why);
    f->at = (int)(x - f->field);
}

/* --- validation --- */

static void check_field(struct form_field *x)
{
    char *end;
    x->wrong[0] = '\0';
    if (x->type != FORM_NUMBER && x->type != FORM_SECONDS)
        return;
    double v = strtod(x->line.text, &end);
    if (end == x->line.text || *end || !isfinite(v))
        snprintf(x->wrong, sizeof x->wrong, "not a number");
    else if (x->type == FORM_NUMBER && v != floor(v))
        snprintf(x->wrong, sizeof x->wrong, "a whole number is wanted");
    else if (v < x->min || v > x->max)
        snprintf(x->wrong, sizeof x->wrong, "%.15g to %.15g", x->min, x->max);
}

static enum form_result accept_form(struct form *f)
{
    for (int i = 0; i < f->n; i++) {
        if (f->field[i].type != FORM_TEXT)
            check_field(&f->field[i]);
        if (f->field[i].wrong[0]) {
            f->at = i;
            return FORM_CHANGED;
        }
    }
    return FORM_ACCEPTED;
}

/* --- keys --- */

static void step_field(struct form *f, int by)
{
    f->at = f->n ? (f->at + by + f->n) % f->n : 0;
}

static bool is_typed(const struct form_field *x)
{
    return x->type != FORM_FLAG && x->type != FORM_CHOICE;
}

static enum form_result switch_over(struct form_field *x, uint32_t key)
{
    if (key != ' ' && key != KEY_LEFT_ && key != KEY_RIGHT_)
        return FORM_IGNORED;
    if (x->type == FORM_CHOICE)
        x->chosen = (x->chosen + (key == KEY_LEFT_ ? x->nchoices - 1 : 1)) % x->nchoices;
    else if (!x->why_off)
        x->on = !x->on;
    x->wrong[0] = '\0';
    return FORM_CHANGED;
}

static enum form_result type_into(struct form_field *x, uint32_t key)
{
    if (!is_typed(x))
        return switch_over(x, key);
    enum line_edit_result r = line_edit_key(&x->line, key);
    if (r == LINE_EDIT_CHANGED)
        check_field(x);
    return r == LINE_EDIT_IGNORED ? FORM_IGNORED : FORM_CHANGED;
}

/* Whether the key closes the form, as in every overlay, unless its letter can be typed here. */
static bool does_key_close_form(const struct form *f, uint32_t key)
{
    return (key == 'q' || key == 'h') && (f->n == 0 || f->field[f->at].type != FORM_TEXT);
}

static enum form_result click_form(struct form *f, const struct key_event *ev)
{
    int row = ev->y - f->list.y;
    bool inside = ev->x >= f->list.x && ev->x < f->list.x + f->list.w && row >= 0 && row < f->n;
    if (ev->button != MOUSE_LEFT || !inside)
        return FORM_IGNORED;
    f->at = row;
    if (!is_typed(&f->field[row]))
        switch_over(&f->field[row], ' ');
    return FORM_CHANGED;
}

enum form_result form_key(struct form *f, const struct key_event *ev)
{
    switch (ev->key) {
    case KEY_MOUSE_:
        return click_form(f, ev);
    case KEY_ESCAPE:
        return FORM_CLOSED;
    case KEY_ENTER_:
    case '\n':
        return accept_form(f);
    case KEY_TAB:
    case KEY_DOWN_:
        step_field(f, 1);
        return FORM_CHANGED;
    case KEY_BACKTAB:
    case KEY_UP_:
        step_field(f, -1);
        return FORM_CHANGED;
    default:
        if (does_key_close_form(f, ev->key))
            return FORM_CLOSED;
        return f->n ? type_into(&f->field[f->at], ev->key) : FORM_IGNORED;
    }
}

/* --- drawing --- */

/* Draws a field without typed text. Returns its columns. */
static int draw_switch(struct canvas *c, int x, int y, int room, const struct form_field *f,
                       bool here)
{
    int w = 3;
    bool more = f->nchoices > 1;
    enum style_role role = f->on ? STYLE_OK : STYLE_TEXT;
    if (f->type == FORM_CHOICE)
        w = canvas_printf(c, x, y, room, STYLE(STYLE_TEXT), "%s%s%s", more ? "◂ " : "",
                          f->choices[f->chosen], more ? " ▸" : "");
    else
        canvas_text(c, x, y, w, f->on ? "[x]" : "[ ]", STYLE(f->why_off ? STYLE_DIM : role));
    if (here)
        canvas_restyle(c, (struct rect){x, y, w, 1}, STYLE(STYLE_SELECTED));
    return w + 1;
}

static void draw_form_field(struct canvas *c, struct rect r, struct form_field *x, bool here)
{
    int at = r.x + LABEL, room = r.x + r.w - at, used = 4;
    bool number = x->type == FORM_NUMBER || x->type == FORM_SECONDS;
    canvas_text(c, r.x, r.y, LABEL - 1, x->label, STYLE(here ? STYLE_TITLE : STYLE_TEXT));
    if (!is_typed(x)) {
        used = draw_switch(c, at, r.y, room, x, here);
    } else if (here) {
        int w = room - (x->wrong[0] ? text_width(x->wrong) + 4 : 0);
        w = number || w < 12 ? 12 : w;
        line_edit_draw(c, at, r.y, w, &x->line, STYLE(STYLE_SELECTED));
        used = w + 1;
    } else {
        used = canvas_text(c, at, r.y, room, x->line.text[0] ? x->line.text : "-",
                           STYLE(x->line.text[0] ? STYLE_TEXT : STYLE_DIM)) +
               1;
        used = number && used < 13 ? 13 : used;
    }
    if (x->wrong[0] && room > used)
        canvas_printf(c, at + used, r.y, room - used, STYLE(STYLE_CRIT), "! %s", x->wrong);
    else if (x->type == FORM_SECONDS && room > used)
        canvas_text(c, at + used, r.y, room - used, "s", STYLE(STYLE_DIM));
    else if (x->why_off && room > used)
        canvas_text(c, at + used, r.y, room - used, x->why_off, STYLE(STYLE_DIM));
}

void form_draw(struct canvas *c, struct rect area, struct form *f, const char *title,
               const char *hint)
{
    int w = area.w < WIDTH ? area.w : WIDTH, h = f->n + 6;
    h = h < area.h ? h : area.h;
    struct rect box = {area.x + (area.w - w) / 2, area.y + (area.h - h) / 2, w, h};
    canvas_zone(c, box, 0, 0);
    canvas_fill(c, box, ' ', STYLE(STYLE_TEXT));
    canvas_box(c, box, STYLE(STYLE_BOX_CPU), title, NULL);
    f->list = (struct rect){box.x + 1, box.y + 2, box.w - 2, f->n};
    for (int i = 0; i < f->n && i + 3 < h; i++)
        draw_form_field(c, (struct rect){box.x + 3, box.y + 2 + i, box.w - 6, 1}, &f->field[i],
                        i == f->at);
    if (f->n && f->field[f->at].help)
        canvas_text(c, box.x + 3, box.y + h - 3, box.w - 6, f->field[f->at].help, STYLE(STYLE_DIM));
    char text[96];
    snprintf(text, sizeof text, " Tab next  Space switches  Enter %s  Esc close ", hint);
    if (box.w > text_width(text) + 4)
        canvas_text(c, box.x + box.w - text_width(text) - 2, box.y + h - 1, box.w, text,
                    STYLE(STYLE_DIM));
}
