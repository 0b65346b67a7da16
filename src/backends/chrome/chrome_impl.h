/* What the files of backends/chrome share among themselves. */
#pragma once

#include "engine/trace/left_out.h"
#include "engine/trace/trace_short.h"
#include "json/tokens.h"

/*
 * Reads one event of a trace from its tokens: the members that are used, in any order.
 *   Sources: "Trace Event Format" (Google, the catapult project) for the members and phases; the
 *   names in args are those of PyTorch's Kineto.
 */

/* A pid or tid: a number, or any other text ("Spans", "stream 7"). */
struct chrome_id {
    int64_t number;
    char text[64]; /* "": it is a number */
};
/* The number, or the one at the end of a text: 7 of "stream 7", 100 of "[TP01] 100", as tools that
 * merge the files of several ranks write. *before: bytes of the text that stand before it. */
int64_t chrome_id_number(const struct chrome_id *id, size_t *before);

enum chrome_what {
    CHROME_OTHER,      /* on the host */
    CHROME_KERNEL,     /* on a device */
    CHROME_COPY,       /* on a device; also a memset */
    CHROME_RANGE,      /* on the host: user ranges */
    CHROME_ANNOTATION, /* on a device's lane: copies of user ranges, synchronisation */
    CHROME_PROFILER,   /* the profiler's own span for the whole trace */
    CHROME_FRAME,      /* on the host: a function of Python */
};

/* Bits of `have`. */
enum {
    HAS_TS = 1,
    HAS_DURATION = 2,
    HAS_CORRELATION = 4,
    HAS_EXTERNAL = 8,
    HAS_DEVICE = 16,
    WORD_ID = 32, /* id is a hash */
    HAS_SORT = 64,
    HAS_REGISTERS = 128,
    HAS_NODE = 256,
    HAS_PARENT = 512,
    BAD_TIME = 1024, /* ts or dur exists, but is not a valid time */
    BINDS_AROUND = 2048,
    HAS_SHARED = 4096,
    HAS_WAIT = 8192, /* waits_stream and waits_record are set */
    HAS_IN = 16384,  /* number and size of input elements */
    HAS_OUT = 32768,
    HAS_MEMORY_OF = 1 << 16, /* memory of a device's allocator: memory_device */
    HAS_ALLOCATED = 1 << 17, /* allocated */
    HAS_RESERVED = 1 << 18,  /* reserved */
    OF_HOST = 1 << 19,       /* the allocator is the host's */
    LOCAL_ID = 1 << 20,      /* id is of its process only */
    HAS_BIND = 1 << 21,      /* bind: an arrow between spans themselves */
    FLOW_IN = 1 << 22,       /* with HAS_BIND: the arrow comes to the span */
    FLOW_OUT = 1 << 23,
    ENDLESS = 1 << 24, /* dur is longer than any trace */
    LATE = 1 << 25,    /* ts is a number, but no possible time in microseconds */
    IN_NS = 1 << 26,   /* ts and dur were cut to microseconds; args have the exact times */
    HAS_SEQUENCE = 1 << 27
};

struct chrome_event {
    unsigned have;
    char phase; /* 0: missing */
    enum chrome_what what;
    struct chrome_id pid, tid;
    int64_t ts, duration; /* ns */
    uint64_t id;          /* of flows and asynchronous spans: a number, or the hash of a text */
    uint64_t bind;        /* bind_id, as id */
    char category[64];
    char name[JSON_TEXT + 1];
    /* from args; 0 if missing, unless a bit says otherwise */
    uint64_t correlation, external, bytes;
    uint64_t node, parent; /* rooftop's own export: numbers of nodes */
    uint32_t grid[3], block[3], shared_bytes, registers, device;
    int64_t sort, lane_id, begin_ns, end_ns;
    int64_t waits_stream;               /* for a synchronisation: the stream that it waits for */
    uint64_t waits_record;              /* correlation of the call that recorded the event */
    uint64_t elements_in, elements_out; /* of a collective's message */
    uint32_t element, ranks;            /* element: bytes; 0: unknown */
    uint64_t sequence;                  /* of a collective in its group */
    uint64_t allocated, reserved;       /* bytes of an allocator */
    uint32_t memory_device;
    char label[128];            /* name of a process or thread, labels of a process */
    char kind[32];              /* rooftop: kind of a node; otherwise args.kind */
    char description[32];       /* args.desc: rocmProfileData's kind of an operation */
    char direction[24];         /* of a transfer: "HtoD", "DEVICE_TO_HOST" */
    char details[160];          /* XLA, of a kernel or a copy: "regs:32 grid:8,1,1" */
    char collective[32];        /* name of a kernel's collective: "allreduce" */
    char group[64];             /* name of the process group that it is of: "0" */
    char from[64], to[64];      /* rooftop: ends of a transfer */
    bool device_time, launched; /* rooftop */
};

/* Reads an event, after the start of its object. Returns JSON_OBJECT_END on success, otherwise the
 * token that stopped it. */
enum json_token chrome_event_read(struct chrome_event *e, struct json_tokens *j);
/* Reads a number, also one that is written as a string; ids may be hexadecimal. */
bool chrome_value(const struct json_tokens *j, enum json_token t, int scale, int64_t *out);
bool chrome_unsigned(const struct json_tokens *j, enum json_token t, uint64_t *out);
/* Copies a text, cut to size at the end of a character. */
void chrome_text(const struct json_tokens *j, enum json_token t, char *out, size_t size);

/* Stores the events of a file until all are read: events come in any order, but a graph needs
 * parents first. 32 bytes for each span. */

#define CHROME_NONE UINT32_MAX

enum { CHROME_MAX_LANES = 1 << 19, CHROME_MAX_DEVICES = 1024 };
#define CHROME_OPEN UINT64_MAX /* the duration of a span without an end */

/* Bits of a span. */
enum {
    SPAN_CORRELATED = 1,  /* id is a correlation */
    SPAN_EXTERNAL = 2,    /* id is an "External id" */
    SPAN_NODE = 4,        /* id is a number from rooftop's export */
    SPAN_WORK = 8,        /* work of a device, kernel or copy; has a chrome_work */
    SPAN_DEVICE = 16,     /* timed by a device */
    SPAN_ASYNC = 32,      /* not nested in a lane */
    SPAN_LAUNCHED = 64,   /* its launch was found */
    SPAN_FRAME = 128,     /* a function of Python */
    SPAN_COLLECTIVE = 256 /* the file says that it is one */
};

struct chrome_span {
    int64_t start; /* ns, in the file's clock */
    uint64_t duration;
    uint64_t id;
    uint32_t name;      /* a name of the graph; later its node */
    uint32_t lane : 19; /* index */
    uint32_t kind : 4;  /* enum node_kind; BRICK_OF + category for a brick */
    uint32_t bits : 9;
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
            uint32_t collective; /* 1 + index; 0: the file does not say that it is one */
        } kernel;
        struct {
            uint64_t bytes;
            uint32_t direction, from, to; /* names or GRAPH_NONE */
        } transfer;
    };
};

/* What the file says about a kernel that is a collective. */
struct chrome_collective {
    uint32_t ranks; /* 0: unknown */
    uint32_t group; /* a name, or GRAPH_NONE */
    uint8_t op;     /* enum collective_op; COLLECTIVE_NONE: not said */
    uint64_t bytes; /* of the message; 0: unknown */
    uint64_t sequence;
};

/* The begin or the end of a span that is written as two events. */
struct chrome_mark {
    int64_t ts;
    /* begins and ends with the same key belong together: the lane, or the asynchronous id */
    uint64_t key;
    uint32_t span;   /* CHROME_NONE: it is an end */
    uint32_t name;   /* GRAPH_NONE: none. For a matched begin: the enclosing span */
    uint64_t shared; /* asynchronous: the key without the process; 0: the id is of its process only,
                        or an end's begin was found */
};

struct chrome_flow {
    int64_t ts; /* or, in rooftop's export, the number of the node */
    uint64_t key;
    uint32_t lane; /* or (own) the span; CHROME_NONE: the span is only in a sum */
    char phase;    /* s t f */
    bool next;     /* belongs to the next span, not to the enclosing one */
    bool node;
    bool own;     /* belongs to a span that names it: bind_id */
    uint8_t kind; /* enum edge_kind in rooftop's export */
};

/* A stream or a call that waited: "Stream Wait Event", "Stream Sync", "Event Sync". */
struct chrome_wait {
    uint64_t correlation; /* of the call that made it wait or that waited itself */
    uint64_t
        record; /* of the call that recorded the event; the wait was for earlier work of `from` */
    uint32_t lane, from; /* lane: its later work waited; CHROME_NONE: the call waited */
    int64_t begin, end;  /* of the span that shows the wait, during the call */
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

/* A device's number in the events of its work, and its number everywhere else. */
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
    CHROME_LIST(struct chrome_collective) collectives;
    /* rooftop's export, for each span: 2 * its parent's number, + 1 if the parent launched it;
     * UINT64_MAX: none. */
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
    uint64_t fold_below; /* spans that weigh less become sums immediately; 0: none do */
    uint64_t part;       /* ns: only what begins before `until` is kept; 0: all */
    int64_t until;       /* in the file's clock */
    uint32_t room;       /* limit of spans to keep; 0: not known yet */
    uint32_t fold_at;    /* number of spans at which to fold again */
    uint32_t last_lane, last_device;
    uint32_t *owners; /* for each process the one that launched its work; NULL: ids are unique */
    int64_t base;     /* ns, added to every start */
    uint32_t outside; /* spans that are left out because they are far from all others */
    bool rooftop;     /* rooftop's own export: categories are kinds of nodes */
    bool rocm;        /* Kineto's, with AMD's devices */
    bool cut_arrows;  /* the times of arrows are whole microseconds, those of spans are not */
    uint64_t events;  /* number of events, and how many of them are instants and counters */
    uint64_t instants, counters;
};

/* Makes space for one more entry; false: the list is full. */
#define CHROME_GROW(list) chrome_grow((void **)&(list).at, (list).n, &(list).cap, sizeof *(list).at)
bool chrome_grow(void **list, uint32_t n, uint32_t *cap, size_t size);

/* fold.c. Adds a short span, to which nothing else refers, to a sum. Returns whether it did. */
bool chrome_fold_span(struct chrome_store *s, uint32_t lane, const struct chrome_event *e,
                      uint32_t kind, uint64_t duration);
/* Folds the shortest spans when there is no space left. */
void chrome_fold_make_room(struct chrome_store *s);
/* The same for spans that were matched from begins and ends. Returns 0, or -ENOMEM with err: no
 * space. */
int chrome_fold_matched(struct chrome_store *s, const char *path, struct error *err);
/* Passes the sums to the trace. Call it when the lanes have their nodes. */
void chrome_fold_tell(struct chrome_store *s, const char *path);
/* outside.c. Leaves out spans that are far from the time of all others. Call it when all have their
 * ends. */
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

/* Builds the graph of calls from a store: programs, their lanes, spans nested by time, and
 * launches. Each step has a file of functions; chrome_reader.c runs them. */

/* Sorts indexes. Stable, O(n log n); O(n) if they are already in order. after: whether a must
 * follow b. spare: space for n. */
void chrome_sort(uint32_t *order, uint32_t n, uint32_t *spare,
                 bool (*after)(const struct chrome_store *s, uint32_t a, uint32_t b),
                 const struct chrome_store *s);
/* The indexes 0..n-1, and in *spare space to sort them. The caller frees both. */
uint32_t *chrome_order(uint32_t n, uint32_t **spare);

/* Gives durations to spans that came as begin and end. */
void chrome_match(struct chrome_store *s);
/* Adds programs and lanes. Returns the lanes in order; the caller frees the list. */
uint32_t *chrome_add_programs(struct chrome_store *s);
struct chrome_way {
    int64_t add; /* ns, added to the file's times */
    const char *path;
    struct error *err;
};
/* Adds programs, lanes, and the spans of lanes. Returns 0, or -ECANCELED with err. */
int chrome_build(struct chrome_store *s, const struct chrome_way *way);
/* Adds asynchronous spans; call it after the lanes. add: as in chrome_way. */
void chrome_build_async(struct chrome_store *s, int64_t add);
/* Adds one span. Returns its node, or GRAPH_NONE, which is counted. */
uint32_t chrome_add_node(struct chrome_store *s, uint32_t span, uint32_t parent, enum edge_kind via,
                         int64_t add);
static inline bool chrome_on_device(const struct chrome_store *s, const struct chrome_span *span)
{
    return span->bits & SPAN_WORK && s->lanes.at[span->lane].queue;
}
/* For a merged file of several ranks, in which the ids of each rank begin anew. Returns for each
 * process of a device the one that launched its work, for other processes themselves. NULL if
 * nearly all ids have calls of only one process. order: n spans, sorted by id, calls first. The
 * caller frees the list. */
uint32_t *chrome_find_owners(const struct chrome_store *s, const uint32_t *order, uint32_t n);
/* Adds launches and dependencies, from correlations and flows. */
void chrome_link(struct chrome_store *s, int64_t add);
/* Adds dependencies between streams. */
void chrome_add_waits(struct chrome_store *s);
/* Finds the node for a time in a lane: the innermost span around it, or (next) the first that
 * begins then or later; never a range on a queue. GRAPH_NONE if there is none. */
uint32_t chrome_bind(const struct chrome_store *s, uint32_t lane, int64_t ts, bool next,
                     int64_t add);

/* Whether the file is rooftop's own export, whose nodes have numbers. */
bool chrome_is_numbered(const struct chrome_store *s);
/* Replaces chrome_build and chrome_build_async for such a file. */
void chrome_build_numbered(struct chrome_store *s, int64_t add);
struct chrome_numbers {
    uint32_t *spans, n;
};
struct chrome_numbers chrome_numbers(const struct chrome_store *s);
uint32_t chrome_numbered(const struct chrome_store *s, const struct chrome_numbers *by,
                         uint64_t number);

/* numbers.c. Finds the device in the properties for each device with work. Call it before work is
 * added. */
void chrome_number_devices(struct chrome_store *s);
/* The number that properties and allocator use for a device with work. */
uint32_t chrome_device_number(const struct chrome_store *s, uint32_t device);
/* Notes kernels whose times cannot be right: they end before an earlier one of their stream. */
void chrome_note_overlaps(struct chrome_store *s);
/* Divides the grids that are given in work-items, for launches from edge `first` on. */
void chrome_divide_grids(struct chrome_store *s, uint32_t first);
bool chrome_is_amd(const struct chrome_store *s, const struct chrome_device *d);
/* The agent of a device, added if it is new. */
uint32_t chrome_agent(struct chrome_store *s, uint32_t device);
/* Reads "deviceProperties", whose value begins with token t. */
enum json_token chrome_devices_read(struct chrome_store *s, struct json_tokens *j,
                                    enum json_token t);
