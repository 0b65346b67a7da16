/*
 * A form: fields with a type, a range and a default, one below the other, each with its error
 * beside it. Tab and arrows move; Space toggles and goes through choices (Left and Right too);
 * Enter accepts if all is right. Esc closes the form, and so do q and h in fields that take no
 * text.
 */
#pragma once

#include "tui/widgets/line_edit.h"

enum form_type {
    FORM_NUMBER, /* an integer from min to max */
    FORM_SECONDS,
    FORM_TEXT,
    FORM_FLAG,
    FORM_CHOICE, /* one of a few */
};
enum { FORM_FIELDS_MAX = 12 };

struct form_field {
    const char *name; /* name for form_find */
    const char *label, *help;
    enum form_type type;
    double min, max;
    const char *why_off; /* why it cannot be changed; NULL: it can */
    const char *const *choices;
    size_t nchoices;
    /* The user's value. */
    struct line_edit line;
    bool on;
    size_t chosen;
    char wrong[96]; /* the error; "" = valid */
};

struct form {
    struct form_field field[FORM_FIELDS_MAX];
    int n, at;
    struct rect list; /* set by form_draw: one row per field, for the mouse */
};

void form_reset(struct form *f);
/* These append a field; value is the default. Texts are borrowed. */
void form_number(struct form *f, const char *name, const char *label, double min, double max,
                 double value, const char *help);
void form_seconds(struct form *f, const char *name, const char *label, double min, double max,
                  double value, const char *help);
void form_text(struct form *f, const char *name, const char *label, const char *value,
               const char *help);
void form_flag(struct form *f, const char *name, const char *label, bool on, const char *why_off,
               const char *help);
/* choices: n of them, n > 0; chosen < n. A single choice cannot be changed. */
void form_choice(struct form *f, const char *name, const char *label, const char *const *choices,
                 size_t n, size_t chosen, const char *help);

enum form_result { FORM_IGNORED, FORM_CHANGED, FORM_ACCEPTED, FORM_CLOSED };
/*
 * Handles a key; types and ranges are checked at once. FORM_ACCEPTED is returned only if all fields
 * are valid.
 */
enum form_result form_key(struct form *f, const struct key_event *ev);

/* A field by its name, which must exist. */
struct form_field *form_find(struct form *f, const char *name);
/* The value of a valid field. */
double form_value(const struct form *f, const char *name);
const char *form_string(const struct form *f, const char *name);
bool form_on(const struct form *f, const char *name);
size_t form_chosen(const struct form *f, const char *name);
/* Sets a field's error, for checks that only the owner can make, and moves the cursor there. */
void form_wrong(struct form *f, const char *name, const char *why);

/* Draws the form in a box in the middle of area. hint: what Enter does. */
void form_draw(struct canvas *c, struct rect area, struct form *f, const char *title,
               const char *hint);
