/* What the readers of sample files share: lines or the whole text of a file, plain or gzip; the
 * profile that they fill; and the end of reading. */
#pragma once

#include "engine/functions/hot_profile.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_json.h"

/* --- lines --- */

enum { SAMPLES_LINE_MOST = 4 << 20 };
struct samples_lines {
    struct trace_json in;
    const char *path; /* for messages */
    char *line;       /* without its end, and terminated */
    size_t n, cap;
    uint64_t number; /* of the line, from 1 */
    int rc;
    struct error *err;
};
/* Close it in either case. */
int samples_lines_open(struct samples_lines *l, const char *path, struct trace *t,
                       struct error *err);
/* The next line; false at the end or after an error, see rc. */
bool samples_lines_next(struct samples_lines *l);
void samples_lines_close(struct samples_lines *l);
/* Refuses the line: sets rc and fills err with file and line. */
int samples_lines_refuse(struct samples_lines *l, const char *help, const char *why);

/* --- a whole text --- */

struct samples_text {
    char *p; /* owned, terminated */
    size_t n;
};
/* 0 or -errno with err; -EFBIG if it needs more than the memory that may be used. */
int samples_text_read(struct samples_text *out, const char *path, struct trace *t,
                      struct error *err);

/* --- the profile --- */

/* A note about a recording of perf in which no sample has callers. */
#define SAMPLES_WITHOUT_CALLS                                                                      \
    "it was recorded without call graphs, so functions have no callers; what helps: perf record "  \
    "-g"

/* Finishes p and gives it to the trace, which then owns it; only the first file's is shown. rc: of
 * reading. It frees p if it was not taken. Returns rc, or -errno with err. */
int samples_finish(struct hot_profile *p, int rc, const char *path, struct trace *t,
                   struct error *err);
/* The names of events or values that a file has, each once, as far as they fit: for messages. */
struct samples_names {
    char text[256]; /* "cycles, cache-misses" */
};
void samples_name_add(struct samples_names *names, const char *name, size_t n);
/* Whether a name is the one that the user wants: as a whole, or without the modifier of an event,
 * ":u". */
bool samples_name_is(const char *name, size_t n, const char *wanted);
/* Refuses a file that has no samples of the value that the user wants. */
int samples_refuse_value(const char *path, const struct samples_names *names, const char *wanted,
                         struct error *err);
/* How many ns, bytes or samples one unit is, and what is counted, an enum hot_weight. False: the
 * unit is not known. */
bool samples_unit(const char *unit, size_t n, uint8_t *weight, double *scale);
/* A weight, an enum hot_weight, as a whole number. False: it is below 0, not a number, too large,
 * or a part of a sample, which rounding would lose. */
bool samples_weight(double value, uint8_t weight, uint64_t *out);
/* The last part of a path. */
const char *samples_module(const char *path);
/* Fills where, module and path of a symbol from the name of the object that has its code. */
void samples_object(struct hot_symbol *s, const char *object);
