/*
 * The short answer of a document, for people in a hurry, scripts and agents: a verdict, its
 * evidence, the rows that matter most, and what to do next, as commands. A document fills it, and
 * one writer prints it: at most 20 lines of text or Markdown, or 2 KB of JSON (docs/BRIEF.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    BRIEF_EVIDENCE = 4,
    BRIEF_ROWS = 5,
    BRIEF_NEXT = 3,
    BRIEF_TEXT = 240,
    BRIEF_MEASURE = 160,
    BRIEF_LINES = 20,
    BRIEF_JSON_BYTES = 2048
};

struct brief_row {
    char what[BRIEF_TEXT / 2], measure[BRIEF_MEASURE];
};

struct brief {
    const char *command; /* "report" */
    char verdict[BRIEF_TEXT];
    char evidence[BRIEF_EVIDENCE][BRIEF_TEXT];
    struct brief_row rows[BRIEF_ROWS];
    char next[BRIEF_NEXT][BRIEF_TEXT];
    size_t nevidence, nrows, nnext;
    uint64_t left_out;  /* rows that were given and did not fit */
    const char *wrote;  /* the file or folder that the command wrote; NULL: none */
    double wrote_bytes; /* NAN: not known */
};

/* These keep what the format makes, cut at the end of a character; brief_write prints it as texts
 * from outside. Rows beyond the limit are counted; further evidence and commands are ignored. */
void brief_verdict(struct brief *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void brief_evidence(struct brief *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A row: what it is, and what was measured of it. */
void brief_row(struct brief *b, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A command to run next, with these files, quoted for a shell, behind it. A command that would not
 * fit whole is left out, and so is one whose file came from a pipe. */
void brief_next(struct brief *b, const char *command, const char *const *files, size_t n);
/* Whether a path is that of a pipe: it is empty when it is read again, and closed then. */
bool brief_is_gone_pipe(const char *path);

/* The greatest of many, which the caller then makes rows of: indices, the greatest weight first,
 * equal ones in the order in which they were given. */
struct brief_top {
    double weight[BRIEF_ROWS];
    size_t index[BRIEF_ROWS], n;
    uint64_t left_out; /* those that are not among them: add it to brief.left_out */
};
void brief_top_add(struct brief_top *t, size_t index, double weight);

/* format: "json", "markdown", or text for every other word. */
void brief_write(FILE *out, const struct brief *b, const char *format);
