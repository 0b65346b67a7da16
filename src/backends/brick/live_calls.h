/*
 * The system calls inside bricks of programs that run: calls come from a feed, spans from the
 * programs' files. A span is written when it has ended, so a call waits until a span around it is
 * known: the first one that is, is the innermost. What is counted stays counted, so the numbers
 * only grow, though spans are overwritten.
 */
#ifndef ROOFTOP_BACKENDS_BRICK_LIVE_CALLS_H
#define ROOFTOP_BACKENDS_BRICK_LIVE_CALLS_H

#include "backends/brick/programs.h"
#include "engine/bricks/call_tally.h"
#include "engine/syscalls/feed.h"

/* Most calls that wait for a span, 2.5 MiB; of more the oldest count as outside. */
enum { LIVE_CALLS_WAITING = 1 << 16 };
/* The last calls, which the window of the last pass can draw: 640 KiB; as spans of a lane. */
enum { LIVE_CALLS_DRAWN = 1 << 14, LIVE_CALLS_SPANS = 512 };

/* How many records of each region of a program were looked at. */
struct known_spans {
    uint32_t number; /* of the program */
    uint64_t *records;
    uint32_t n;
};

struct live_calls { /* zeroed: empty */
    struct call_tally tally;
    struct syscall_recent *waiting;
    struct syscall_recent *last; /* the last calls; NULL: none */
    uint64_t trace, begin_ns;    /* trace 0: none has begun */
    uint64_t dropped;
    struct known_spans *known;
    size_t nknown, known_cap;
};

/* Takes what came, and counts what can be counted. programs must have been polled. */
void live_calls_poll(struct live_calls *l, struct call_feed *feed, const struct programs *p);
/* Gives the tree its calls, if there was a trace. nodes: of each program, its node in the tree. */
void live_calls_give(const struct live_calls *l, const struct programs *p, const uint32_t *nodes,
                     struct graph *tree);
void live_calls_free(struct live_calls *l);

#endif
