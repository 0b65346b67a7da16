/* Reads the text of a file, plain or gzip (one or several members), a buffer at a time. */
#ifndef ROOFTOP_BACKENDS_CHROME_INPUT_H
#define ROOFTOP_BACKENDS_CHROME_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_stream.h"
#include "engine/trace/unpack.h"
#include "json/input.h"

struct chrome_input {
    struct json_input text; /* what is read next; text.rc: why there is no more */
    bool gzip;
    bool cut; /* gzip: the file ended before its stream */
    /* used only by input.c: */
    struct trace_stream stream;
    char *buffer, *own;    /* the buffer; memory for plain text */
    struct unpack *unpack; /* only for gzip */
    bool ended;
    /* bytes of the file; bytes of the text at the next progress report */
    uint64_t taken, next_report;
    struct trace *trace;
    struct error *err;
};

/* Opens a file. path and err must outlive in, which stays where it is. Returns 0 or -errno with
 * err. */
int chrome_input_open(struct chrome_input *in, const char *path, struct trace *t,
                      struct error *err);
/* Copies the first bytes of a file, unpacked if they are gzip. Returns how many, at most size. */
size_t chrome_input_head(const unsigned char *head, size_t n, char *out, size_t size);
void chrome_input_close(struct chrome_input *in);

#endif
