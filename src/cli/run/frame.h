/*
 * One snapshot in the form that --format asks for.
 */
#ifndef ROOFTOP_CLI_RUN_FRAME_H
#define ROOFTOP_CLI_RUN_FRAME_H

#include <stdio.h>

#include "cli/run/output.h"
#include "cli/run/screen.h"
#include "engine/compare/run.h"
#include "engine/live/snapshot.h"
#include "engine/session/session.h"

/* FRAME_SESSION is what rooftop record writes, no --format. */
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
    enum color_depth depth; /* of ANSI */
    bool several;           /* JSON: frames in one object */
    long written;
    struct screen *screen;
    struct output *out;
    const struct runs *runs;        /* of the command, with the last frame; NULL: none ended */
    struct profile_sum *stacks;     /* FRAME_FOLDED: of all frames so far; free it */
    struct session_writer *session; /* FRAME_SESSION; else NULL */
};

/* name: a choice of --format, NULL = text. */
enum frame_format frame_format_of(const char *name);
/* A stream is a row of records that may be followed and appended to; the others are documents. */
bool frame_is_stream(enum frame_format f);
/* Formats s and writes it in one go. Of several frames SVG shows the last, with the others in its
 * graphs; folded stacks are the sum of all. */
int frames_write(struct frames *f, const struct snapshot *s, bool last, struct error *err);
/* Completes the document. */
int frames_end(struct frames *f, struct error *err);

#endif
