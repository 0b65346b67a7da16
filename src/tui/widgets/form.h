/*
 * A form: fields with a type, a range and a default, one below the other, each with its error
 * beside it. Tab and arrows move; Space toggles and goes through choices (Left and Right too);
 * Enter accepts if all is right. Esc closes the form, and so do q and h in fields that take no
 * text.
 */
#ifndef ROOFTOP_TUI_WIDGETS_FORM_H
#define ROOFTOP_TUI_WIDGETS_FORM_H

#include "tui/widgets/line_edit.h"

enum form_type {
    FORM_NUMBER, /* a whole one, min to max */
    FORM_SECONDS,
    FORM_TEXT,
    FORM_FLAG,
    FORM_CHOICE, /* one of a few */
};
enum { FORM_FIELDS_MAX = 12 };

struct form_field {
    const char *name; /* for form_find */
    const char *label, *help;
    enum form_type type;
    double min, max;
    const char *why_off; /* cannot be changed; NULL: it can */
    const char *const *choices;
    size_t nchoices;
    /* what was put in */
    struct line_edit line;
    bool on;
    size_t chosen;
    char wrong[96]; /* "" = right */
};

struct form {
    struct form_field field[FORM_FIELDS_MAX];
    int n, at;
    struct rect list; /* set by form_draw: a row a field, for the mouse */
};

void form_reset(struct form *f);
/* All of them append; value: the default. Texts are borrowed. */
void form_number(struct form *f, const char *name, const char *label, double min, double max,
                 double value, const char *help);
void form_seconds(struct form *f, const char *name, const char *label, double min, double max,
                  double value, const char *help);
void form_text(struct form *f, const char *name, const char *label, const char *value,
               const char *help);
void form_flag(struct form *f, const char *name, const char *label, bool on, const char *why_off,
               const char *help);
/* choices: n of them, more than 0; chosen: below n. With one there is nothing to choose. */
void form_choice(struct form *f, const char *name, const char *label, const char *const *choices,
                 size_t n, size_t chosen, const char *help);

enum form_result { FORM_IGNORED, FORM_CHANGED, FORM_ACCEPTED, FORM_CLOSED };
/* Checks types and ranges as they are typed; FORM_ACCEPTED only when all are right. */
enum form_result form_key(struct form *f, const struct key_event *ev);

struct form_field *form_find(struct form *f, const char *name); /* must be there */
/* The value of a field without an error. */
double form_value(const struct form *f, const char *name);
const char *form_string(const struct form *f, const char *name);
bool form_on(const struct form *f, const char *name);
size_t form_chosen(const struct form *f, const char *name);
/* Sets a field's error, for checks that only the owner can make, and moves the cursor there. */
void form_wrong(struct form *f, const char *name, const char *why);

/* In a box in the middle of area; hint: what Enter does. */
void form_draw(struct canvas *c, struct rect area, struct form *f, const char *title,
               const char *hint);

#endif
