/* A folder of a thread trace and what the reader makes of it. */
#ifndef TESTS_SUPPORT_ATT_READ_H
#define TESTS_SUPPORT_ATT_READ_H

#include "engine/att/att.h"
#include "support/att_folder.h"

struct att_read {
    struct att_folder folder;
    struct att_places places;
    struct att trace; /* the first of them */
    struct error err;
};

void att_read_begin(struct att_read *r, bool copy);
void att_read_end(struct att_read *r);
/* 0, or the reader's answer with err. */
int att_read_path(struct att_read *r, const char *path);
/* The folder above: fails the test where it cannot be read. */
void att_read_good(struct att_read *r);
/* It is refused, naming the file and the place. */
void att_read_fault(struct att_read *r, const char *file, const char *why);
/* Whether a note says so. */
bool att_read_noted(const struct att_read *r, const char *text);

#endif
