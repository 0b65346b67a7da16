/*
 * The command line's commands: one table, from which come what is run, what Tab completes, and
 * what help says. Every action of actions.def is a command too, under its own name.
 */
#ifndef ROOFTOP_TUI_APP_COMMANDS_H
#define ROOFTOP_TUI_APP_COMMANDS_H

#include "base/error.h"
#include "tui/input/keys.h"

struct app;

struct candidate {
    char text[64]; /* what would be typed */
    char note[96]; /* what it is; "" = clear without */
};
struct candidates { /* free rows */
    struct candidate *rows;
    size_t n, cap;
};
void candidates_add(struct candidates *c, const char *text, const char *note);

struct palette_command {
    const char *name;
    const char *args;   /* "NAME", "[TOPIC]" where it may be missing; NULL = takes none */
    enum action action; /* performed without an argument; ACTION_NONE: it needs one */
    const char *help;   /* one line */
    void (*complete)(const struct app *a, const char *before, struct candidates *out); /* or NULL */
    /* A set of enum app_request; err->kind is set where it failed. arg is never "". */
    unsigned (*run)(struct app *a, const char *arg, struct error *err);
};
extern const struct palette_command command_table[]; /* ends with name NULL */

const struct palette_command *command_find(const char *name);
/* Runs the line, or opens the command line with it where it ends in a space: an argument is
 * wanted. Failures become the message. */
unsigned app_command_or_ask(struct app *a, const char *line);

/* commands_complete.c: arguments. before: those already typed ("memory " of "memory hide"). */
void complete_fields(const struct app *a, const char *before, struct candidates *out);
void complete_views(const struct app *a, const char *before, struct candidates *out);
void complete_themes(const struct app *a, const char *before, struct candidates *out);
void complete_sorts(const struct app *a, const char *before, struct candidates *out);
void complete_pids(const struct app *a, const char *before, struct candidates *out);
void complete_children(const struct app *a, const char *before, struct candidates *out);
void complete_signals(const struct app *a, const char *before, struct candidates *out);
void complete_intervals(const struct app *a, const char *before, struct candidates *out);
void complete_boxes(const struct app *a, const char *before, struct candidates *out);
void complete_presets(const struct app *a, const char *before, struct candidates *out);
void complete_launched(const struct app *a, const char *before, struct candidates *out);
void complete_sides(const struct app *a, const char *before, struct candidates *out);
void complete_on_off(const struct app *a, const char *before, struct candidates *out);
void complete_topics(const struct app *a, const char *before, struct candidates *out);
void complete_values(const struct app *a, const char *before, struct candidates *out);

#endif
