/*
 * The GPU that a replay runs on: the runtime opened and initialised, agent, pools, what it can.
 * Only in a process of its own (backends/hsa/runtime.h).
 */
#ifndef ROOFTOP_BACKENDS_REPLAY_DEVICE_H
#define ROOFTOP_BACKENDS_REPLAY_DEVICE_H

#include "backends/hsa/runtime.h"
#include "backends/replay/failure.h"

enum { REPLAY_ISAS = 8 };

struct replay_device {
    struct hsa_runtime r;
    bool initialised;
    hsa_agent_t gpu, cpu;
    int index, gpus; /* of this one, and how many there are */
    char name[64], product[64], version[32];
    char isas[REPLAY_ISAS][128];
    size_t nisas;
    hsa_amd_memory_pool_t vram, kernarg;
    uint64_t free_bytes; /* of device memory; all of it where has_free is not set; 0 unknown */
    bool has_free;
    uint64_t hz; /* of timestamps */
    /* set by the runtime's threads */
    _Atomic bool faulted;
    _Atomic uint64_t fault_address;
    _Atomic uint32_t fault_reason; /* HSA_AMD_MEMORY_FAULT_ bits */
    _Atomic int queue_status;      /* of the queue's error callback; 0 none */
};

/*
 * index: which GPU, from 0. needs_vmem: whether virtual memory is needed. 0; or what is missing and
 * since when it exists (REPLAY_RUNTIME), with nothing left open.
 */
int replay_device_open(struct replay_device *d, int index, bool needs_vmem,
                       struct replay_failure *f);
void replay_device_close(struct replay_device *d);

/* Whether code for that instruction set runs here; else REPLAY_ISA. what: of the message. */
int replay_device_runs(const struct replay_device *d, const char *isa, const char *what,
                       struct replay_failure *f);

/* A call that did not succeed. Returns -1. */
int replay_device_failed(const struct replay_device *d, hsa_status_t status, enum replay_kind kind,
                         const char *what, struct replay_failure *f);

/* REPLAY_OK while nothing went wrong; else fills f but for a fault's region. */
enum replay_kind replay_device_trouble(struct replay_device *d, struct replay_failure *f);

#endif
