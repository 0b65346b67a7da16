/*
 * What the events of a file said, until all of them are there: events come in any order, a graph
 * wants parents first. 32 bytes a span.
 */
#ifndef ROOFTOP_BACKENDS_CHROME_STORE_H
#define ROOFTOP_BACKENDS_CHROME_STORE_H

#include "backends/chrome/event.h"
#include "engine/trace/trace_short.h"

#define CHROME_NONE UINT32_MAX

enum { CHROME_MAX_LANES = 1 << 20, CHROME_MAX_DEVICES = 1024 };
#define CHROME_OPEN UINT64_MAX /* a duration whose end was not seen */

/* Bits of a span. */
enum {
    SPAN_CORRELATED = 1, /* id is a correlation */
    SPAN_EXTERNAL = 2,   /* id is an "External id" */
    SPAN_NODE = 4,       /* id is a number that rooftop's export gave */
    SPAN_WORK = 8,       /* a kernel or copy of a device; has a chrome_work */
    SPAN_DEVICE = 16,    /* timed by a device */
    SPAN_ASYNC = 32,     /* of no lane's nesting */
    SPAN_LAUNCHED = 64   /* its launch is known */
};

struct chrome_span {
    int64_t start; /* ns as the file counts them */
    uint64_t duration;
    uint64_t id;
    uint32_t name;      /* of the graph; its node, once it has one */
    uint32_t lane : 20; /* index */
    uint32_t kind : 5;  /* enum node_kind; BRICK_OF + category: a brick */
    uint32_t bits : 7;
};
enum { BRICK_OF = NODE_KINDS };

/* More of a span: of kernels and transfers. */
struct chrome_work {
    uint32_t span; /* ascending */
    uint32_t device;
    union {
        struct {
            uint32_t grid[3], block[3], shared_bytes, registers;
            uint32_t ranks;   /* of a collective; 0 unknown */
            uint64_t message; /* its bytes; 0 unknown */
        } kernel;
        struct {
            uint64_t bytes;
            uint32_t direction, from, to; /* names or GRAPH_NONE */
        } transfer;
    };
};

/* The begin or end of a span that comes as two events. */
struct chrome_mark {
    int64_t ts;
    uint64_t key;  /* which of them belong together: the lane, or the asynchronous id */
    uint32_t span; /* CHROME_NONE: an end */
    uint32_t name; /* GRAPH_NONE: none. Of a begin, once matched: the span around it */
};

struct chrome_flow {
    int64_t ts; /* or, of rooftop's export, the number of the node */
    uint64_t key;
    uint32_t lane;
    char phase; /* s t f */
    bool next;  /* binds to the span that begins next, not to the one around it */
    bool node;
    uint8_t kind; /* enum edge_kind of rooftop's export */
};

/* A stream that waited for an event of another one: "Stream Wait Event". */
struct chrome_wait {
    uint64_t correlation; /* of the call that made it wait: later work of lane had to */
    uint64_t record;      /* of the call that recorded the event: earlier work of from came first */
    uint32_t lane, from;
};

struct chrome_process {
    struct chrome_id id;
    int64_t sort;
    uint32_t name, labels; /* GRAPH_NONE */
    uint32_t node;
};

struct chrome_lane {
    struct chrome_id id;
    int64_t sort, shown; /* shown: the id that is to be shown, rooftop's export */
    uint32_t process, name;
    uint32_t spans; /* in it, without asynchronous ones */
    bool queue;     /* of a device */
    bool named;     /* there is metadata of it */
    bool any;       /* asynchronous ones too */
    uint32_t node;  /* of the graph; its spans are first..end-1, by start */
    uint32_t first, end;
};

struct chrome_device {
    uint64_t id, memory;
    uint32_t model, units; /* a name of the graph, or GRAPH_NONE; TRACE_UNKNOWN */
    uint32_t major, minor, warp;
    uint32_t agent; /* of the trace, TRACE_UNKNOWN: not yet */
};

#define CHROME_LIST(type)                                                                          \
    struct {                                                                                       \
        type *at;                                                                                  \
        uint32_t n, cap;                                                                           \
    }

struct chrome_slots { /* numbers by a hash of their key, open addressing; 1 + number, 0 free */
    uint32_t *at, size;
};

struct chrome_store {
    struct trace *trace;
    CHROME_LIST(struct chrome_span) spans;
    CHROME_LIST(struct chrome_work) work;
    /* rooftop's export, of every span: 2 * number of its parent, + 1 where that launched it;
     * UINT64_MAX none. */
    CHROME_LIST(uint64_t) parents;
    CHROME_LIST(struct chrome_mark) marks, async;
    CHROME_LIST(struct chrome_flow) flows;
    CHROME_LIST(struct chrome_wait) waits;
    CHROME_LIST(uint64_t) flow_names; /* hashes of their category and name */
    CHROME_LIST(struct chrome_process) processes;
    CHROME_LIST(struct chrome_lane) lanes;
    CHROME_LIST(struct chrome_device) devices;
    struct trace_shorts shorts; /* by lane */
    struct chrome_slots process_slots, lane_slots;
    uint64_t fold_below; /* ns: what takes less is folded as it comes; 0 nothing is */
    uint32_t room;       /* spans that may be kept; 0: not asked for yet */
    uint32_t fold_at;    /* so many: the next are folded */
    uint32_t last_lane, last_device;
    int64_t base;    /* ns to add to every start */
    bool rooftop;    /* rooftop's own export: categories are kinds of nodes */
    uint64_t events; /* seen */
};

/* Room for one more of a list; false: it is full. */
#define CHROME_GROW(list) chrome_grow((void **)&(list).at, (list).n, &(list).cap, sizeof *(list).at)
bool chrome_grow(void **list, uint32_t n, uint32_t *cap, size_t size);

/* fold.c. Whether a span of so many ns, without a part in anything else, is kept as a sum only;
 * then it was added to that. */
bool chrome_fold_span(struct chrome_store *s, uint32_t lane, const char *name, uint32_t kind,
                      uint64_t duration);
/* Where no room is left: folds the shortest half. */
void chrome_fold_make_room(struct chrome_store *s);
/* After begins and ends were matched: those too. 0, or -ENOMEM with err: there is no room. */
int chrome_fold_matched(struct chrome_store *s, const char *path, struct error *err);
/* Tells the trace; after lanes have their nodes. */
void chrome_fold_tell(struct chrome_store *s);
/* others.c. What of the lanes of XLA's and MTIA's devices is work, and what is told of it. */
void chrome_recognise_work(struct chrome_store *s, struct chrome_event *e);
/* Takes one event in; what cannot be used is counted in trace->dropped. */
void chrome_store_event(struct chrome_store *s, const struct chrome_event *e);
/* The lane of an event, made where it is new; CHROME_NONE: too many. */
uint32_t chrome_lane_of(struct chrome_store *s, const struct chrome_event *e);
/* The lane of the same process with that number. */
uint32_t chrome_lane_beside(struct chrome_store *s, uint32_t lane, int64_t number);
void chrome_metadata(struct chrome_store *s, const struct chrome_event *e);
void chrome_store_free(struct chrome_store *s);

#endif
