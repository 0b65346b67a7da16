/* Reads the text of a file in JSON, plain or gzip (one or several members), a buffer at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_stream.h"
#include "engine/trace/unpack.h"
#include "json/input.h"

struct trace_json {
    struct json_input text; /* the unread text; text.rc: why it ended */
    bool gzip;
    bool cut; /* gzip: the file ended before its stream */
    /* used only by trace_json.c: */
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
int trace_json_open(struct trace_json *in, const char *path, struct trace *t, struct error *err);
void trace_json_close(struct trace_json *in);
