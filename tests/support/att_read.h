/* Reads a folder with a thread trace, for tests of the reader. */
#pragma once

#include "engine/att/att.h"
#include "support/att_folder.h"

struct att_read {
    struct att_folder folder;
    struct att_places places;
    struct att trace; /* the first trace */
    struct error err;
};

void att_read_begin(struct att_read *r, bool copy);
void att_read_end(struct att_read *r);
/* Returns 0, or the reader's error with err. */
int att_read_path(struct att_read *r, const char *path);
/* Reads the folder above; fails the test if that fails. */
void att_read_good(struct att_read *r);
/* Expects that it is refused with an error that names the file and says why. */
void att_read_fault(struct att_read *r, const char *file, const char *why);
/* Whether one of the reader's notes contains the text. */
bool att_read_noted(const struct att_read *r, const char *text);
