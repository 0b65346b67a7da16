/*
 * The GPU of a replay: runtime, agent, pools, abilities. Only in a process of its own
 * (backends/hsa/runtime.h).
 */
#pragma once

#include "backends/hsa/runtime.h"
#include "backends/replay/device/failure.h"

enum { REPLAY_ISAS = 8 };

struct replay_device {
    struct hsa_runtime r;
    bool initialised;
    hsa_agent_t gpu, cpu;
    int index, gpus; /* of this GPU; number of GPUs */
    char name[64], product[64], version[32];
    char isas[REPLAY_ISAS][128];
    size_t nisas;
    hsa_amd_memory_pool_t vram, kernarg;
    uint64_t free_bytes; /* free device memory, or all of it where has_free is false; 0: unknown */
    bool has_free;
    uint64_t hz; /* of time stamps */
    /* set by the runtime's threads: */
    _Atomic bool faulted;
    _Atomic uint64_t fault_address;
    _Atomic uint32_t fault_reason; /* HSA_AMD_MEMORY_FAULT_ bits */
    _Atomic int queue_status;      /* from the queue's error callback; 0: none */
};

/*
 * Opens a GPU. index: from 0. needs_vmem: virtual memory is needed. Returns 0, or an error that
 * says what is missing and which release has it (REPLAY_RUNTIME); nothing stays open then.
 */
int replay_device_open(struct replay_device *d, int index, bool needs_vmem,
                       struct replay_failure *f);
void replay_device_close(struct replay_device *d);

/*
 * Checks that code for an instruction set runs on this GPU, else REPLAY_ISA. what: for the message.
 */
int replay_device_runs(const struct replay_device *d, const char *isa, const char *what,
                       struct replay_failure *f);

/* Fills f for a call that failed. Returns -1. */
int replay_device_failed(const struct replay_device *d, hsa_status_t status, enum replay_kind kind,
                         const char *what, struct replay_failure *f);

/* Returns REPLAY_OK if there was no error; else fills f, except the region of a fault. */
enum replay_kind replay_device_trouble(struct replay_device *d, struct replay_failure *f);
