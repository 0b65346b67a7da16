/*
 * Reads lines from a non-blocking descriptor: a limited number of bytes at a time, lines of limited
 * length.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct lines {
    int fd; /* -1: closed */
    size_t most;
    char *text; /* the incomplete line */
    size_t n, cap;
    size_t bytes; /* bytes read so far */
    size_t over;  /* lines that were too long and were skipped */
    bool skip;    /* inside such a line */
    bool closed;  /* by the other side */
};
typedef void lines_fn(void *ctx, const char *line, size_t n);

void lines_open(struct lines *l, int fd, size_t most); /* takes ownership of fd */
void lines_read(struct lines *l, size_t at_once, lines_fn *fn, void *ctx);
/* Passes on the last line where it has no newline. */
void lines_rest(struct lines *l, lines_fn *fn, void *ctx);
void lines_close(struct lines *l);
