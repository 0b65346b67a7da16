/* Lines out of a descriptor that does not block: at most so many bytes at once, lines of a bounded
 * length. */
#ifndef ROOFTOP_BACKENDS_REPLAY_CHILD_LINES_H
#define ROOFTOP_BACKENDS_REPLAY_CHILD_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct lines {
    int fd; /* -1: closed */
    size_t most;
    char *text; /* the line that has no end yet */
    size_t n, cap;
    size_t bytes; /* read so far */
    size_t over;  /* lines that were too long, and left out */
    bool skip;    /* inside of one of them */
    bool closed;  /* by the other side */
};
typedef void lines_fn(void *ctx, const char *line, size_t n);

void lines_open(struct lines *l, int fd, size_t most); /* takes fd */
void lines_read(struct lines *l, size_t at_once, lines_fn *fn, void *ctx);
/* The last line, where nothing ends it. */
void lines_rest(struct lines *l, lines_fn *fn, void *ctx);
void lines_close(struct lines *l);

#endif
