/*
 * Writes a snapshot in the form that --format asks for.
 */
#ifndef ROOFTOP_CLI_RUN_FRAME_H
#define ROOFTOP_CLI_RUN_FRAME_H

#include <stdio.h>

#include "cli/run/output.h"
#include "cli/run/screen.h"
#include "engine/compare/run.h"
#include "engine/live/snapshot.h"
#include "engine/session/session.h"

/* FRAME_SESSION is what rooftop record writes; --format cannot choose it. */
enum frame_format {
    FRAME_TEXT,
    FRAME_JSON,
    FRAME_JSONL,
    FRAME_CSV,
    FRAME_ANSI,
    FRAME_SVG,
    FRAME_FOLDED,
    FRAME_SESSION
};

struct frames {
    enum frame_format format;
    enum color_depth depth; /* for ANSI */
    bool several;           /* JSON: the frames are an array in one object */
    long written;
    struct screen *screen;
    struct output *out;
    /* runs of the command, written with the last frame; NULL: none has ended */
    const struct runs *runs;
    struct hot_sum *stacks; /* FRAME_FOLDED: sum over all frames so far; the caller frees it */
    struct session_writer *session; /* for FRAME_SESSION; else NULL */
};

/* name: a choice of --format; NULL = text. */
enum frame_format frame_format_of(const char *name);
/* Whether the format is a stream of records, which may be appended to and followed; other formats
 * are documents. */
bool frame_is_stream(enum frame_format f);
/* Formats s and writes it with one write. Of several frames, SVG shows the last with the earlier
 * ones in its graphs, and folded stacks are the sum of all. */
int frames_write(struct frames *f, const struct snapshot *s, bool last, struct error *err);
/* Writes the end of the document. */
int frames_end(struct frames *f, struct error *err);

#endif
