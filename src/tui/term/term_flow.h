/*
 * Adapts to a slow terminal. Written bytes may wait in Linux, in ssh and in a serial line for a
 * minute; only an answer of the terminal shows that they have arrived. A status request (ECMA-48
 * DSR 5, answered by 0) goes with a frame now and then, and with each frame while the line is slow.
 * No further frame is sent before the answer, so frames are dropped and never queued.
 *
 * On a slow line a frame is cut into slices of what it carries in a third of a second, the rows
 * that a key changed going first; between slices of data it rests as long as they took.
 */
#ifndef ROOFTOP_TUI_TERM_TERM_FLOW_H
#define ROOFTOP_TUI_TERM_TERM_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum flow_state {
    FLOW_UNKNOWN, /* not answered yet: small steps, for five seconds */
    FLOW_MUTE,    /* it does not answer: only Linux's buffer shows the state */
    FLOW_FAST,
    FLOW_SLOW,
};

enum { FLOW_REQUESTS = 10 };

struct term_flow {
    enum flow_state state;
    int asked; /* requests not yet answered, the oldest first in request[] */
    struct flow_request {
        size_t bytes; /* bytes that were sent with the request */
        uint64_t at_ns;
    } request[FLOW_REQUESTS], quick; /* quick: the one answered soonest */
    double quick_s;                  /* seconds until that answer */
    bool wanted;                     /* a frame was held back, or is not complete */
    bool forgotten;                  /* a request was not answered, so it counts as mute */
    bool urgent;                     /* the effect of a key waits to be sent */
    uint64_t begun_ns, sent_ns;      /* times of the first and of the last frame */
    uint64_t answered_ns;            /* time of the last answer */
    uint64_t rest_until;             /* no data is sent before this time */
    uint64_t probed_ns;              /* time of the last request */
    size_t unasked;                  /* bytes since the last request */
    double bytes_per_s;              /* measured; 0 = not yet */
    double rtt_s;                    /* round trip of the last answer */
    unsigned long dropped;           /* frames held back */
};

#define FLOW_NOTHING UINT64_MAX
extern const char flow_question[4]; /* not terminated */

/* Whether a frame may be sent now. If not, remembers that a frame is wanted. */
bool flow_may_send(struct term_flow *f, uint64_t now);
/* Bytes that the next frame should not exceed by much; SIZE_MAX = no limit. */
size_t flow_budget(const struct term_flow *f);
/* Whether the request goes with the frame about to be sent. */
bool flow_asks(const struct term_flow *f, uint64_t now);
/* n bytes were sent, with the request or without; complete: nothing of the picture is left. */
void flow_sent(struct term_flow *f, size_t n, bool asked, bool complete, uint64_t now);
void flow_answered(struct term_flow *f, uint64_t now);
/* When to call flow_expired if no answer comes; FLOW_NOTHING = never. */
uint64_t flow_deadline(const struct term_flow *f);
/* Call it at that time: true if a frame is wanted and may be sent now. */
bool flow_expired(struct term_flow *f, uint64_t now);

#endif
