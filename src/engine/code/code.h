/*
 * The text of a function, as source or as instructions. A thread of its own reads it, so that the
 * screen never waits for a disk or a disassembler.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct code_request {
    bool assembly;
    const char *file; /* source */
    int line;         /* the function's line; of a long file only the lines around it are read */
    const char *path; /* file with the code, for instructions */
    uint64_t address, size; /* of the function, as in that file */
    /* Instead of an address: the function's name, in that file or in the bytes of an object. */
    const char *function;
    const void *object;
    size_t object_size;
};

struct code_line {
    uint64_t at;      /* line number, counted from 1; of an instruction: its address */
    const char *text; /* without tabs */
    bool heading;     /* between instructions: the source line that they come from */
};

struct code {
    struct code_line *lines; /* rising `at` */
    size_t n;
    char why[768];  /* why there are no lines, and what would help; "" if there are lines */
    char note[160]; /* a remark for the reader; "" = none */
    struct arena arena;
};

/* Reads the text on the calling thread: source at once, instructions within ten seconds. cancel:
 * another thread sets it to stop; it is checked between the steps. */
void code_load(struct code *out, const struct code_request *r, const bool *cancel);
void code_free(struct code *c); /* the texts and the struct; NULL allowed */

/* Reads on a thread. Runs one request at a time; starting another one cancels the first. */
struct code_job;
struct code_job *code_job_new(void);
void code_job_free(struct code_job *j);    /* cancels */
int code_job_fd(const struct code_job *j); /* readable when there is something to take */
void code_job_start(struct code_job *j, const struct code_request *r); /* copies it */
void code_job_cancel(struct code_job *j);
/* The result, which the caller frees; NULL if there is nothing new. */
struct code *code_job_take(struct code_job *j);
