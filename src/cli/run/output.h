/*
 * Output of headless commands: stdout or a file. Every failed write is reported.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/temporary.h"

struct output {
    int fd;
    bool owned;                       /* fd must be closed here */
    bool fresh;                       /* the file was empty before */
    char path[4096];                  /* path of the file; "" for stdout */
    char temp[4096 + TEMPORARY_MORE]; /* temporary file that is renamed to path at the end; "" =
                        path is written directly */
};

/*
 * path NULL: writes to fd (normally 1). A stream is appended to path. A document is written to a
 * temporary file, which output_close renames to path, so that a reader never sees half of it. 0 or
 * -errno with ERROR_OUTPUT.
 */
int output_open(struct output *out, const char *path, int fd, bool stream, struct error *err);
/* Writes all bytes. 0 or -errno with ERROR_OUTPUT. */
int output_write(struct output *out, const char *data, size_t len, struct error *err);
/* keep false: the run failed, and an incomplete document is removed. */
int output_close(struct output *out, bool keep, struct error *err);
/* Writes a whole document that replaces the file now; the next one replaces it again. Standard
 * output gets it after what it has. */
int output_replace(struct output *out, const char *data, size_t len, struct error *err);
/*
 * Before long work: 0 if a document can be written to path (NULL: stdout) now. No file is
 * changed (one is made beside it and removed). Else -errno with ERROR_OUTPUT.
 */
int output_check(const char *path, struct error *err);
/* Redirects fd 1 to stderr, so that nothing that libraries print gets into our output. Returns a
 * new descriptor for the real stdout, or -1. */
int output_own_stdout(void);
/*
 * While a command runs whose judgement goes to standard output (path NULL), its own standard output
 * is our standard error, so that a script gets the judgement alone. With a path it keeps its own.
 * Returns what output_part_end takes.
 */
int output_part_begin(const char *path);
void output_part_end(int before);
typedef void (*output_make)(FILE *out, const void *what);
/* The function for a format: "json", "csv", or text for every other word. */
output_make output_make_of(const char *format, output_make text, output_make json, output_make csv);
/* Writes a whole document that `make` prints. path: as for output_file. */
int output_made(const char *path, output_make make, const void *what, struct error *err);
/* Says what was written: "wrote run.rtop, 3.1 MiB, 42 s". path NULL: standard output; seconds: how
 * long it took; NAN: not said. Returns the length, as print_line. */
size_t output_describe(char *out, size_t size, const char *path, double seconds);
/*
 * The last line of a command that wrote a file or a folder, on standard error: "wrote run.rtop, 3.1
 * MiB, 42 s; open it: rooftop run.rtop". seconds: how long it took; NAN: not said. then: what can
 * be done with it; "" where nothing is said, NULL where rooftop opens it.
 */
void output_written(const char *path, double seconds, const char *then);
/* In GitHub Actions, prints annotations on standard error, which its runner reads too; elsewhere
 * nothing. */
int output_annotations(output_make make, const void *what, struct error *err);
/* Writes a whole document. path NULL: stdout. */
int output_file(const char *path, const char *data, size_t len, struct error *err);
/* The same; path NULL: fd. */
int output_document(const char *path, int fd, const char *data, size_t len, struct error *err);
