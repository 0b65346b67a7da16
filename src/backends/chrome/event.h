/*
 * Reads one event of a trace from its tokens: the members that are used, in any order.
 *   Sources: "Trace Event Format" (Google, the catapult project) for the members and phases; the
 *   names in args are those of PyTorch's Kineto.
 */
#pragma once

#include "json/tokens.h"

/* A pid or tid: a number, or any other text ("Spans", "stream 7"). */
struct chrome_id {
    int64_t number;
    char text[64]; /* "": it is a number */
};

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
    LATE = 1 << 25,    /* ts is a number that cannot be a time in microseconds */
    IN_NS = 1 << 26    /* ts and dur were cut to microseconds; args had the whole times */
};

struct chrome_event {
    unsigned have;
    char phase; /* 0: missing */
    enum chrome_what what;
    struct chrome_id pid, tid;
    int64_t ts, duration; /* ns */
    uint64_t id;          /* of flows and asynchronous spans: the number, or a hash of the text */
    uint64_t bind;        /* bind_id, as id */
    char category[64];
    char name[JSON_TEXT + 1];
    /* from args; 0 where absent unless a bit says so */
    uint64_t correlation, external, bytes;
    uint64_t node, parent; /* rooftop's own export: numbers of nodes */
    uint32_t grid[3], block[3], shared_bytes, registers, device;
    int64_t sort, lane_id, begin_ns, end_ns;
    int64_t waits_stream;               /* for a synchronisation: what it waits for */
    uint64_t waits_record;              /* correlation of the call that recorded the event */
    uint64_t elements_in, elements_out; /* of a collective's message */
    uint32_t element, ranks;            /* element: bytes; 0: unknown */
    uint64_t allocated, reserved;       /* bytes of an allocator */
    uint32_t memory_device;
    char label[128];            /* name of a process or thread, labels of a process */
    char kind[32];              /* rooftop: kind of a node; otherwise args.kind */
    char description[32];       /* args.desc: rocmProfileData's kind of an operation */
    char direction[24];         /* of a transfer: "HtoD", "DEVICE_TO_HOST" */
    char details[160];          /* XLA, of a kernel or a copy: "regs:32 grid:8,1,1" */
    char collective[32];        /* name of a kernel's collective: "allreduce" */
    char from[64], to[64];      /* rooftop: ends of a transfer */
    bool device_time, launched; /* rooftop */
};

/*
 * Reads an event, after the start of its object. Returns JSON_OBJECT_END on success, otherwise the
 * token that stopped it.
 */
enum json_token chrome_event_read(struct chrome_event *e, struct json_tokens *j);
/* Reads a number, also one that is written as a string; ids may be hexadecimal. */
bool chrome_value(const struct json_tokens *j, enum json_token t, int scale, int64_t *out);
bool chrome_unsigned(const struct json_tokens *j, enum json_token t, uint64_t *out);
/* Copies a text, cut to size at the end of a character. */
void chrome_text(const struct json_tokens *j, enum json_token t, char *out, size_t size);
