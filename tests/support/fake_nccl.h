/*
 * A communication library that calls a profiler plugin as NCCL does (NVIDIA/nccl,
 * src/plugin/profiler.cc): it finds the newest interface of the plugin, tells of a call what the
 * plugin's mask asks for (its group, the program's own call, the launch, the collective), and a
 * kernel a channel inside it, whose stamps are those of a simulated device. Its ranks are
 * processes that really wait for each other, or are told when the others come; how long anything
 * lasts is simulated, so that a busy machine changes nothing.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "nccl/profiler_abi.h"

enum { FAKE_RANKS = 16 };

struct fake_nccl {
    void *library;
    const struct profiler *plugin;
    profiler_log *log; /* may be NULL */
    int version;
    int mask;
};

/* Where the ranks of a communicator meet: memory that processes share. */
struct fake_meeting {
    pthread_barrier_t barrier;
    uint64_t arrived[2][FAKE_RANKS];
};

struct fake_communicator {
    struct fake_nccl *nccl;
    struct fake_meeting *meeting; /* NULL: it waits for nobody, but others_clock counts */
    void *context;
    int rank, ranks;
    uint8_t channels;
    bool no_kernels; /* an NCCL that does not tell when kernels run */
    uint64_t calls;
    uint64_t clock;        /* ns, simulated: the same in all ranks */
    uint64_t others_clock; /* at which the last of the others comes to its next collective */
    uint64_t offset;       /* of the device's clock, whose stamps begin elsewhere in each rank */
};

/* The plugin beside the rooftop under test; NULL: it was not built. */
const char *fake_nccl_plugin(void);
/* Loads a plugin as an NCCL does whose newest interface is this. False: it has none. */
bool fake_nccl_open(struct fake_nccl *n, const char *path, int newest);
struct fake_meeting *fake_meeting_new(int ranks);
void fake_meeting_free(struct fake_meeting *m);
/* ranks and rank of *c are set by the caller, and what else is not 0. */
void fake_communicator_begin(struct fake_communicator *c, struct fake_nccl *n, uint64_t id,
                             const char *name);
void fake_communicator_end(struct fake_communicator *c);
/* Begins the event of a call, and ends it as the call is enqueued. Returns its handle. */
void *fake_call(struct fake_communicator *c, const char *op, uint64_t count);
/* A collective of which NCCL tells that the program asks for it, and no more. */
void fake_call_unseen(struct fake_communicator *c);
void *fake_pair(struct fake_communicator *c, const char *op, uint64_t count, int peer);
/* Begins and ends a kernel of it. */
void *fake_kernel(struct fake_communicator *c, void *call, uint8_t channel, uint64_t stamp);
void fake_kernel_end(struct fake_communicator *c, void *kernel, uint64_t stamp);
/* A whole collective after so much computing: it waits for the other ranks, and then transfers. */
void fake_collective(struct fake_communicator *c, const char *op, uint64_t count, uint64_t compute,
                     uint64_t transfer);
