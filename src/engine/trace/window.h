/*
 * A part of a profile: some time of it, or what happened inside of ranges of a name. It is taken
 * out of the trace once (trace_window.h); all that is found out afterwards knows nothing else.
 *
 * A range is any span of the host (a function, an annotation, a brick); where no host has one of
 * that name, a span of a device. Ranges that lie in others of their name are not counted.
 */
#ifndef ROOFTOP_ENGINE_TRACE_WINDOW_H
#define ROOFTOP_ENGINE_TRACE_WINDOW_H

#include "base/error.h"
#include "engine/trace/trace.h"

struct window {
    uint64_t from, to; /* ns since the profile's begin; 0 and UINT64_MAX: all of it */
    char *range;       /* as the user wrote it; NULL: no ranges */
};

/*
 * from, to: "1.5ms"; NULL: the profile's begin and end. range: "NAME", all that are called so, or
 * "NAME@3", the third of each program, "NAME@3-5", "NAME@3-", "NAME@-1" the last; NULL: none. Where
 * nothing is called NAME, those whose name is NAME but for a number at its end: "ProfilerStep" has
 * "ProfilerStep#101". "~REGEX": a POSIX extended expression that a part of the name matches. With
 * ranges, from and to say when they begin. ERROR_USAGE. Free it.
 */
int window_parse(struct window *out, const char *from, const char *to, const char *range,
                 struct error *err);
void window_free(struct window *w);
static inline bool window_is_whole(const struct window *w)
{
    return !w || (w->from == 0 && w->to == UINT64_MAX && !w->range);
}

/* One piece of it. */
struct window_span {
    uint64_t from, to; /* of the graph's clock */
    uint64_t done;     /* when all had ended that was launched in it; not before `to` */
    uint32_t program;  /* whose; GRAPH_NONE: everybody's, a time */
    uint32_t node;     /* the range; GRAPH_NONE: a time */
    uint32_t number;   /* of its program's, from 1: NAME@number; 0 a time */
};
struct window_spans {
    struct window_span *list; /* by program, then begin, end (longer first), node */
    uint32_t n, nopen;
    /* Of a trace that was taken, for each program, by begin: when it was open; what overlapped is
     * one. And the begin of the profile that it was taken from. */
    struct window_span *open;
    uint64_t origin;
};
/* ERROR_USAGE where nothing is there. Free it after either outcome. */
int window_find(struct window_spans *out, const struct trace *t, const struct window *w,
                struct error *err);
void window_spans_free(struct window_spans *s);

/* First start and last end of all spans; false: no times are known. */
bool window_bounds(const struct graph *calls, uint64_t *from, uint64_t *to);
/* A name without the number at its end, and what joins it: "ProfilerStep#101" -> "ProfilerStep",
 * "step 7" -> "step". Its length; that of the whole where there is no such number. */
size_t window_family(const char *name);
/* The program, or lane without one, that a node is in: the root above it. */
uint32_t window_root(const struct graph *g, uint32_t v);
/* The lane of a node: the thread or queue above it, or itself; GRAPH_NONE none. */
uint32_t window_lane(const struct graph *g, uint32_t v);

#endif
