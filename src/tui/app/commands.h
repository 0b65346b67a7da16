/*
 * The commands of the command line: one table for running, completion with Tab, and help. Every
 * action of actions.def is a command too, under its own name.
 */
#pragma once

#include "base/error.h"
#include "tui/input/keys.h"

struct app;

enum { CANDIDATE_TEXT_MAX = 96 };
struct candidate {
    char text[CANDIDATE_TEXT_MAX]; /* the text to insert */
    char note[96];                 /* its description; "" = none is needed */
};
struct candidates { /* completions append here; the caller frees rows */
    struct candidate *rows;
    size_t n, cap;
};
void candidates_add(struct candidates *c, const char *text, const char *note);
/* Adds each of the words, which blanks separate. */
void candidates_add_words(struct candidates *c, const char *words);

struct palette_command {
    const char *name;
    const char *args;   /* "NAME", or "[TOPIC]" if optional; NULL = takes none */
    enum action action; /* performed without an argument; ACTION_NONE: the argument is required */
    const char *help;   /* one line */
    /* completes the argument; or NULL */
    void (*complete)(const struct app *a, const char *before, struct candidates *out);
    /*
     * Runs the command. arg is never "". Returns a set of enum app_request; sets err->kind if it
     * failed.
     */
    unsigned (*run)(struct app *a, const char *arg, struct error *err);
};
extern const struct palette_command command_table[]; /* ends with name NULL */

const struct palette_command *command_find(const char *name);
/*
 * Runs the line. A line that ends in a space lacks its argument: then the command line is opened
 * with it. Failures become the message of the footer.
 */
unsigned app_command_or_ask(struct app *a, const char *line);

/*
 * commands_complete.c: completions of arguments. before: the arguments that are already typed
 * ("memory " of "memory hide").
 */
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
void complete_bindings(const struct app *a, const char *before, struct candidates *out);
void complete_launched(const struct app *a, const char *before, struct candidates *out);
void complete_events(const struct app *a, const char *before, struct candidates *out);
void complete_on_off(const struct app *a, const char *before, struct candidates *out);
void complete_topics(const struct app *a, const char *before, struct candidates *out);
void complete_values(const struct app *a, const char *before, struct candidates *out);
