/*
 * A part of a profile: a stretch of time, or what happened inside ranges of a name. It is cut out
 * of the trace once (trace_window.h); all later computation sees only that part.
 *
 * A range here is any span of the host (a function, an annotation, a brick). If no host has a span
 * of that name, it is a span of a device. A range inside another one of its name does not count.
 */
#pragma once

#include "base/error.h"
#include "engine/trace/trace.h"

struct window {
    uint64_t from, to; /* ns since the beginning of the profile; 0 and UINT64_MAX: all of it */
    char *range;       /* as the user wrote it; NULL: no ranges */
};

/*
 * Parses the user's words. from, to: "1.5ms"; NULL: the beginning and end of the profile. range:
 * "NAME", all of that name; "NAME@3", the third of each program; "NAME@3-5", "NAME@3-"; "NAME@-1",
 * the last; NULL: no ranges. If no span has the name, NAME also stands for names with a number
 * behind it: "ProfilerStep" finds "ProfilerStep#101". "~REGEX": a POSIX extended expression that
 * matches a part of the name. With a range, from and to limit when ranges begin. 0, or -errno with
 * ERROR_USAGE. Free with window_free.
 */
int window_parse(struct window *out, const char *from, const char *to, const char *range,
                 struct error *err);
void window_free(struct window *w);
static inline bool window_is_whole(const struct window *w)
{
    return !w || (w->from == 0 && w->to == UINT64_MAX && !w->range);
}

/* One piece of the part. */
struct window_span {
    uint64_t from, to; /* of the graph's clock */
    uint64_t done;     /* when all work launched in it had ended; >= to */
    uint32_t program;  /* its program; GRAPH_NONE: a stretch of time, for all programs */
    uint32_t node;     /* the range; GRAPH_NONE: a stretch of time */
    uint32_t number;   /* its number in the program, from 1, as in NAME@3; 0: a stretch of time */
};
struct window_spans {
    struct window_span *list; /* by program, then begin, end (longer first), node */
    uint32_t n, nopen;
    /* In a trace that was cut out: the spans of each program, merged where they overlap, by begin;
     * and where the whole profile began. */
    struct window_span *open;
    uint64_t origin;
    uint32_t early; /* unranged device work, launched before the profile */
};
/* Finds the spans of w in t. -errno with ERROR_USAGE if there are none. Free out in either case. */
int window_find(struct window_spans *out, const struct trace *t, const struct window *w,
                struct error *err);
void window_spans_free(struct window_spans *s);

/* First start and last end of all spans; false if no times are known. */
bool window_bounds(const struct graph *calls, uint64_t *from, uint64_t *to);
/* The length of a name without the number at its end and the sign before that: "ProfilerStep#101"
 * -> "ProfilerStep", "step 7" -> "step". The whole length if there is no such number. */
size_t window_family(const char *name);
/* The lane of a node: the thread or queue above it, or the node itself; GRAPH_NONE if none. */
uint32_t window_lane(const struct graph *g, uint32_t v);
