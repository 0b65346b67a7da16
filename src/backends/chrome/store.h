/*
 * Stores the events of a file until all are read: events come in any order, but a graph needs
 * parents first. 32 bytes for each span.
 */
#pragma once

#include "backends/chrome/event.h"
#include "engine/trace/left_out.h"
#include "engine/trace/trace_short.h"

#define CHROME_NONE UINT32_MAX

enum { CHROME_MAX_LANES = 1 << 20, CHROME_MAX_DEVICES = 1024 };
#define CHROME_OPEN UINT64_MAX /* the duration of a span without an end */

/* Bits of a span. */
enum {
    SPAN_CORRELATED = 1, /* id is a correlation */
    SPAN_EXTERNAL = 2,   /* id is an "External id" */
    SPAN_NODE = 4,       /* id is a number from rooftop's export */
    SPAN_WORK = 8,       /* work of a device, kernel or copy; has a chrome_work */
    SPAN_DEVICE = 16,    /* timed by a device */
    SPAN_ASYNC = 32,     /* not nested in a lane */
    SPAN_LAUNCHED = 64,  /* its launch was found */
    SPAN_FRAME = 128     /* a function of Python */
};

struct chrome_span {
    int64_t start; /* ns, in the file's clock */
    uint64_t duration;
    uint64_t id;
    uint32_t name;      /* a name of the graph; later its node */
    uint32_t lane : 20; /* index */
    uint32_t kind : 4;  /* enum node_kind; BRICK_OF + category for a brick */
    uint32_t bits : 8;
};
enum { BRICK_OF = NODE_KINDS };
_Static_assert(BRICK_OF + CATEGORIES <= 1 << 4, "a kind does not fit into 4 bits");

/* More data of kernels and transfers. */
struct chrome_work {
    uint32_t span; /* ascending */
    uint32_t device;
    union {
        struct {
            uint32_t grid[3], block[3], shared_bytes, registers;
            uint32_t ranks;   /* of a collective; 0: unknown */
            uint8_t op;       /* enum collective_op, as the file says; COLLECTIVE_NONE */
            uint64_t message; /* bytes; 0: unknown */
        } kernel;
        struct {
            uint64_t bytes;
            uint32_t direction, from, to; /* names or GRAPH_NONE */
        } transfer;
    };
};

/* The begin or end of a span that came as two events. */
struct chrome_mark {
    int64_t ts;
    /* begins and ends with the same key belong together: the lane, or the asynchronous id */
    uint64_t key;
    uint32_t span;   /* CHROME_NONE: it is an end */
    uint32_t name;   /* GRAPH_NONE: none. For a matched begin: the enclosing span */
    uint64_t shared; /* asynchronous: the key without the process; 0: the id is of its process only,
                      * or (of an end) it has its begin */
};

struct chrome_flow {
    int64_t ts; /* or, in rooftop's export, the number of the node */
    uint64_t key;
    uint32_t lane; /* or (own) the span; CHROME_NONE: it is known as part of a sum only */
    char phase;    /* s t f */
    bool next;     /* belongs to the next span, not to the enclosing one */
    bool node;
    bool own;     /* belongs to a span that names it: bind_id */
    uint8_t kind; /* enum edge_kind in rooftop's export */
};

/* A stream or a call that waited: "Stream Wait Event", "Stream Sync", "Event Sync". */
struct chrome_wait {
    uint64_t correlation; /* of the call that made it wait, or that waited itself */
    uint64_t record; /* of the call that recorded the event: it waited for earlier work of `from` */
    uint32_t lane, from; /* lane: its later work waited; CHROME_NONE: the call did */
    uint32_t span;       /* that tells so, in the time of the call */
};

struct chrome_process {
    struct chrome_id id;
    int64_t sort;
    uint32_t name, labels; /* GRAPH_NONE */
    uint32_t node;
};

struct chrome_lane {
    struct chrome_id id;
    int64_t sort, shown; /* shown: the id to display, in rooftop's export */
    uint32_t process, name;
    uint32_t spans; /* spans, without asynchronous ones */
    bool queue;     /* of a device */
    bool named;     /* it has metadata */
    bool any;       /* it has spans, perhaps only asynchronous ones */
    uint32_t node;  /* in the graph; its spans are first..end-1, sorted by start */
    uint32_t first, end;
};

struct chrome_device {
    uint64_t id, memory;
    uint32_t model, units; /* a name of the graph or GRAPH_NONE; TRACE_UNKNOWN */
    uint32_t major, minor, warp;
    uint32_t agent; /* in the trace; TRACE_UNKNOWN: not yet */
};

/* The number that a device has in its work's events, and the one it has everywhere else. */
struct chrome_renumbering {
    uint32_t from, to;
};

#define CHROME_LIST(type)                                                                          \
    struct {                                                                                       \
        type *at;                                                                                  \
        uint32_t n, cap;                                                                           \
    }

struct chrome_store {
    struct trace *trace;
    CHROME_LIST(struct chrome_span) spans;
    CHROME_LIST(struct chrome_work) work;
    /*
     * rooftop's export, for each span: 2 * its parent's number, + 1 where the parent launched it;
     * UINT64_MAX: none.
     */
    CHROME_LIST(uint64_t) parents;
    CHROME_LIST(struct chrome_mark) marks, async;
    CHROME_LIST(struct chrome_flow) flows;
    CHROME_LIST(struct chrome_wait) waits;
    CHROME_LIST(uint64_t) flow_names; /* hashes of category and name */
    CHROME_LIST(struct chrome_process) processes;
    CHROME_LIST(struct chrome_lane) lanes;
    CHROME_LIST(struct chrome_device) devices;
    CHROME_LIST(struct chrome_renumbering) renumbered;
    struct trace_shorts shorts; /* by lane */
    struct hash_table process_by_id, lane_by_id;
    uint64_t fold_below; /* ns: shorter spans become sums immediately; 0: none do */
    uint32_t room;       /* spans that may be kept; 0: not known yet */
    uint32_t fold_at;    /* at this number of spans the next are folded */
    uint32_t last_lane, last_device;
    uint32_t *owners; /* of each process: the one that launched its work; NULL: each id tells */
    int64_t base;     /* ns, added to every start */
    uint32_t outside; /* spans that are left out because they are far from all others */
    bool rooftop;     /* rooftop's own export: categories are kinds of nodes */
    bool rocm;        /* Kineto's, with AMD's devices */
    bool cut_arrows;  /* the times of arrows are whole microseconds, those of spans are not */
    uint64_t events;  /* seen, and how many of them are instants and counters */
    uint64_t instants, counters;
};

/* Makes space for one more entry; false: the list is full. */
#define CHROME_GROW(list) chrome_grow((void **)&(list).at, (list).n, &(list).cap, sizeof *(list).at)
bool chrome_grow(void **list, uint32_t n, uint32_t *cap, size_t size);

/*
 * fold.c. Whether a span of this length, to which nothing else refers, is kept only in a sum; if so
 * it was added.
 */
bool chrome_fold_span(struct chrome_store *s, uint32_t lane, const char *name, uint32_t kind,
                      uint64_t duration);
/* Folds the shorter half of the spans when there is no space left. */
void chrome_fold_make_room(struct chrome_store *s);
/*
 * The same for spans that were matched from begins and ends. Returns 0, or -ENOMEM with err: no
 * space.
 */
int chrome_fold_matched(struct chrome_store *s, const char *path, struct error *err);
/* Passes the sums to the trace, once lanes have their nodes. */
void chrome_fold_tell(struct chrome_store *s);
/* outside.c. Leaves out spans that are far from the time of all others. Call it once all have
 * their ends. */
void chrome_leave_outside(struct chrome_store *s);
/* others.c. Recognises work in the lanes of XLA's and MTIA's devices, and reads its details. */
void chrome_recognise_work(struct chrome_store *s, struct chrome_event *e);
/* Stores one event; events that cannot be used are counted in trace->dropped. */
void chrome_store_event(struct chrome_store *s, const struct chrome_event *e);
/* The lane of an event, added if it is new; CHROME_NONE: too many. */
uint32_t chrome_lane_of(struct chrome_store *s, const struct chrome_event *e);
/* The lane of the same process with this number. */
uint32_t chrome_lane_beside(struct chrome_store *s, uint32_t lane, int64_t number);
void chrome_metadata(struct chrome_store *s, const struct chrome_event *e);
void chrome_store_free(struct chrome_store *s);
