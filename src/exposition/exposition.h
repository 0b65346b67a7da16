/*
 * Reads a text of Prometheus' exposition format 0.0.4 or of OpenMetrics 1.0, sample by sample.
 *
 * Sources: prometheus.io/docs/instrumenting/exposition_formats and the OpenMetrics specification
 * 1.0 (prometheus/docs). Beyond them: lines may end with CR LF in both formats, and a metric's name
 * may stand in quotes inside the braces (Prometheus 3).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum exposition_format {
    EXPOSITION_TEXT,       /* 0.0.4: timestamps in ms; ends anywhere */
    EXPOSITION_OPENMETRICS /* timestamps in s; a text without its "# EOF" is not whole */
};
/* The format that a Content-Type header names; NULL: EXPOSITION_TEXT. */
enum exposition_format exposition_format_of(const char *content_type);

enum exposition_type {
    EXPOSITION_UNKNOWN, /* also "untyped", and samples without a TYPE line */
    EXPOSITION_COUNTER,
    EXPOSITION_GAUGE,
    EXPOSITION_HISTOGRAM,
    EXPOSITION_GAUGE_HISTOGRAM,
    EXPOSITION_SUMMARY,
    EXPOSITION_INFO,
    EXPOSITION_STATE_SET,
};

enum { EXPOSITION_LABELS = 128 }; /* labels of a sample; a sample with more is refused */

struct exposition_label {
    const char *name, *value; /* without escapes */
};

struct exposition_sample {
    const char *name; /* "http_requests_total", "latency_seconds_bucket" */
    const struct exposition_label *labels;
    size_t nlabels;
    double value;       /* may be NaN or infinite: the exporter says so */
    double timestamp_s; /* NaN: there is none */
    bool exemplar;      /* one stood behind it; it was checked and left out */
    /* of its family, as TYPE, UNIT and HELP lines before it say; "" where there is none */
    enum exposition_type type;
    const char *family, *unit, *help;
};

struct exposition {
    /* private */
    char *at, *line, *stop, *end; /* line, stop: begin and end of the current one */
    size_t number;                /* of that line, from 1 on */
    enum exposition_format format;
    bool over; /* "# EOF" was read */
    const char *from;
    const char *family, *unit, *help;
    enum exposition_type type;
    struct exposition_label labels[EXPOSITION_LABELS];
};

/*
 * text: size bytes and one more, which is overwritten, as the text itself is: samples point into
 * it. from: the name of the text, for errors. All must outlive e.
 */
void exposition_open(struct exposition *e, enum exposition_format format, char *text, size_t size,
                     const char *from);
/* 1: *s is the next sample, valid until the next call. 0: the text is over. -EINVAL with
 * ERROR_INPUT: the text is damaged; `what` says the line and the column. */
int exposition_next(struct exposition *e, struct exposition_sample *s, struct error *err);

/* The value of a label; NULL: the sample has none of that name. */
const char *exposition_label(const struct exposition_sample *s, const char *name);
