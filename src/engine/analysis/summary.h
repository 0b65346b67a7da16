/*
 * What an opened profile says, in few lines: what bounds it and why, what the best single change
 * would save, where idle time went. Everything was found before (analysis.h); here it becomes text.
 */
#pragma once

#include "engine/analysis/analysis.h"

enum summary_tone { SUMMARY_PLAIN, SUMMARY_VERDICT, SUMMARY_FAINT };
struct summary_line {
    const char *label; /* "saves most"; "" = more about the line above */
    const char *text;
    const char *more; /* the capability that knows more, as its command and view: "path"; NULL */
    const char *name; /* the brick, or call, that the line is about; NULL */
    const char *how;  /* how it was found, in a sentence or two */
    uint8_t tone;     /* enum summary_tone */
};
struct summary {
    const char *head; /* "NVIDIA B200 · 84.5 ms · 768 dispatches": which devices, how long */
    struct summary_line *lines;
    size_t n, cap;
    size_t first; /* lines before the list of kernels: what comes after it is less important */
    struct arena memory;
};

/* Texts are not safe to print raw. Free *out. */
void summary_make(struct summary *out, const struct analysis *a, bool ascii);
void summary_free(struct summary *s);
