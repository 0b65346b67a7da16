/*
 * What an opened file is and what it says, in few lines: a verdict with its rule, the findings that
 * matter, and which view or command knows more. Each kind of file has a function that makes the
 * lines; one view and one report show them.
 */
#pragma once

#include "engine/summary/subject.h"

enum summary_tone { SUMMARY_PLAIN, SUMMARY_VERDICT, SUMMARY_FAINT };
struct summary_line {
    const char *label; /* "saves most"; "" = more about the line above */
    const char *text;
    const char *more; /* the capability that knows more, as its command and view: "path"; NULL */
    const char *next; /* where no view knows more: the command that does, without its file; NULL */
    const char *name; /* the brick, or call, that the line is about; NULL */
    const char *how;  /* how it was found, in a sentence or two */
    const char *list; /* what else belongs to it, a line each, as a call stack; NULL: nothing */
    uint8_t tone;     /* enum summary_tone */
};
struct summary {
    const char *head; /* "NVIDIA B200 · 84.5 ms · 768 dispatches": which devices, how long */
    struct summary_line *lines;
    size_t n, cap;
    size_t first; /* lines before the list of kernels: what comes after it is less important */
    struct arena memory;
};

/* Texts are not safe to print raw. Nothing is open: no lines. Free *out. */
void summary_make(struct summary *out, const struct subject *s, bool ascii);
void summary_free(struct summary *s);
