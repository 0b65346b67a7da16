/*
 * What a command has written: the last line of the command, on standard error, or with --brief the
 * short answer: the file with its size, what is in it, what was lost, and commands that open it.
 */
#pragma once

#include "cli/options/options.h"
#include "export/brief.h"

struct written {
    struct brief brief; /* rows: what is in it; evidence: what was lost; next: what to do with it */
    const char *path;   /* file or folder; NULL: standard output */
    int answer_fd;      /* where the short answer goes: standard output, if it is free */
    double seconds;     /* how long it took; NAN: not said */
    const char *purpose; /* what the first command is for, in the line: "open it" */
};

/* path is borrowed. Where it is standard output, the answer goes to standard error. */
void written_begin(struct written *w, const char *path, double seconds);
/* A row with a count of things; nothing where there are none. */
void written_count(struct written *w, const char *what, uint64_t n);
/* Adds the commands for what rooftop itself opens. */
void written_opens(struct written *w);
/* Prints the line or the answer, whose verdict is what was written unless there is one already. 0
 * or -errno with ERROR_OUTPUT. */
int written_tell(struct written *w, const struct options *o, struct error *err);
