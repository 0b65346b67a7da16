/*
 * The binary interface between NCCL or RCCL and a profiler plugin, as far as it is used: versions 4
 * to 6 (NCCL 2.27 to 2.30 and RCCL). Declared anew from its documentation: NVIDIA/nccl,
 * plugins/profiler/README.md, src/include/plugin/profiler. Version 4 has a type of one byte and
 * another order of init's parameters; of the other members both versions have, the places are the
 * same. Version 6 adds types of events to version 5.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { PROFILER_OK = 0, PROFILER_REFUSED = 3 }; /* ncclSuccess, ncclInternalError */

enum profiler_event {
    PROFILER_GROUP = 1 << 0,
    PROFILER_COLLECTIVE = 1 << 1,
    PROFILER_PAIR = 1 << 2, /* a send or receive */
    PROFILER_PROXY_OP = 1 << 3,
    PROFILER_PROXY_STEP = 1 << 4,
    PROFILER_PROXY_CONTROL = 1 << 5,
    PROFILER_KERNEL = 1 << 6, /* a channel of a call, as its kernel runs */
    PROFILER_NETWORK = 1 << 7,
    PROFILER_GROUP_API = 1 << 8, /* since version 5 */
    PROFILER_COLLECTIVE_API = 1 << 9,
    PROFILER_PAIR_API = 1 << 10,
    PROFILER_LAUNCH = 1 << 11,
    PROFILER_COPY_COLLECTIVE = 1 << 12, /* by copy engines; since version 6 */
    PROFILER_COPY_SYNC = 1 << 13,
    PROFILER_COPY_BATCH = 1 << 14,
    PROFILER_PROXY_DIAGNOSIS = 1 << 15, /* RCCL's: states of proxy operations and their steps */
};
/* The state in which a kernel tells the stamp of its end: NCCL stops its event right after that. */
enum { PROFILER_KERNEL_STOP = 22 };

struct profiler_collective {
    uint64_t number; /* of this operation in its communicator */
    const char *op;
    const void *from;
    void *to;
    size_t count;
    int root;
    const char *type;
    uint8_t channels, warps;
    const char *algorithm, *protocol;
    void *group; /* since version 5 */
};
struct profiler_pair {
    const char *op;
    void *buffer;
    const char *type;
    size_t count;
    int peer;
    uint8_t channels;
    void *group; /* since version 5 */
};
struct profiler_proxy_op {
    int pid; /* of the process that began the call */
    uint8_t channel;
    int peer, steps, chunk_bytes, sends;
};
struct profiler_kernel {
    uint8_t channel;
    uint64_t stamp;
};
struct profiler_description {
    uint64_t type; /* version 4: the first byte of it */
    void *parent;
    int rank;
    union {
        struct profiler_collective collective;
        struct profiler_pair pair;
        struct profiler_proxy_op proxy_op;
        struct profiler_kernel kernel;
    };
};
/* Those of versions 5 and 6 have this size, those of version 4 lack `group` at the end. */
_Static_assert(sizeof(struct profiler_description) == 112, "as NCCL's on 64 bits");
union profiler_state {
    struct {
        uint64_t stamp;
    } kernel;
    uint64_t room;
};

enum { PROFILER_WARNING = 2 }; /* a level of the log */
typedef void profiler_log(int level, unsigned long flags, const char *file, int line,
                          const char *format, ...);

/* The functions of a plugin; those of version 4 differ in init only. */
struct profiler {
    const char *name;
    union {
        int (*init)(void **context, uint64_t id, int *mask, const char *name, int nodes, int ranks,
                    int rank, profiler_log *log);
        int (*init4)(void **context, int *mask, const char *name, uint64_t id, int nodes, int ranks,
                     int rank, profiler_log *log);
    };
    int (*start)(void *context, void **event, struct profiler_description *d);
    int (*stop)(void *event);
    int (*record)(void *event, int state, union profiler_state *s);
    int (*finalize)(void *context);
};
