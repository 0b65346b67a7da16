// An interpreter of AMD's GCN/CDNA instructions (gfx90a and gfx942), enough for what clang emits
// for ordinary compute kernels and for the copy kernels of the HSA runtime. One wave of 64 lanes
// after the other, in order, no caches. An encoding it does not know is GCN_ILLEGAL, never a guess;
// memory that is not mapped is GCN_FAULT. Source: "AMD Instinct MI200" and "AMD Instinct MI300"
// instruction set architecture reference guides.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gcn_arch { GCN_GFX90A, GCN_GFX942 };

enum gcn_status {
    GCN_OK,
    GCN_ILLEGAL,      // an instruction, or an operand, that is not emulated
    GCN_FAULT,        // memory that is not mapped to the GPU, or may not be written
    GCN_BAD_DISPATCH, // a packet or kernel descriptor that makes no sense
    GCN_STOPPED,      // *stop was set while it ran
};

struct gcn_fault {
    uint64_t pc;
    uint32_t instruction[2];
    uint64_t address; // GCN_FAULT: of what
    bool write;
};

// What a dispatch did, for a model of its cost: instructions of waves, and lines of memory of 64
// bytes that its instructions touched (each once for an instruction; LDS is none). There are no
// caches: what a second instruction touches counts again.
struct gcn_counts {
    uint64_t instructions, lines;
    uint64_t line[64]; // touched by the instruction at hand: a table with one place for each
    uint64_t touched[64];
    uint64_t loaded, stored; // different lines of all the dispatch, without private memory
    uint64_t *seen;          // those lines: a table of `places`, a power of two, or 0; owned
    uint64_t places, used;
};
enum { GCN_LOADS = 1, GCN_STORES = 2, GCN_PRIVATE = 4 };
void gcn_touch(struct gcn_counts *c, uint64_t address, uint32_t bytes, unsigned how);
void gcn_counts_free(struct gcn_counts *c);

// Accesses to LDS by two waves of a work-group with no barrier between them, of which one stores
// and not both are atomic; barriers that not all waves reach. Offsets from where the kernel begins.
struct gcn_byte;
struct gcn_races {
    uint64_t races, parted;
    uint64_t pc[2], barrier; // of the first
    uint32_t address;        // of the first, in LDS
    uint64_t code, epoch;    // epoch: barriers so far, of all work-groups
    struct gcn_byte *bytes;  // owned
};
void gcn_races_free(struct gcn_races *r);

struct gcn_device {
    enum gcn_arch arch;
    uint64_t shared_aperture,
        private_aperture;      // flat addresses of LDS and of private memory; 4 GiB each
    uint64_t scratch;          // GPU address of memory for private segments
    size_t scratch_size;       // bytes there; see gcn_scratch_needed()
    const atomic_bool *stop;   // looked at now and then; may be NULL
    struct gcn_counts *counts; // may be NULL
    struct gcn_races *races;   // may be NULL: nobody looks for them
    bool backwards;    // work-groups, and waves between barriers, from the last to the first
    uint64_t lds_seed; // what LDS holds when a work-group begins; 0: zeros
};

enum { GCN_LANES = 64, GCN_LDS_SIZE = 65536 };

// The host's pointer to size bytes at a GPU address; NULL where the GPU may not access them all.
// From who links this.
void *gpu_at(uint64_t address, size_t size, bool write);
// The counter that s_memtime and s_memrealtime read, 100 MHz. From who links this, too.
uint64_t gpu_clock(void);

struct hsa_kernel_dispatch_packet_s;
// Bytes of private memory that one work-group of this packet needs.
size_t gcn_scratch_needed(const struct hsa_kernel_dispatch_packet_s *packet);

// Runs a kernel dispatch packet to its end. packet_address and queue_address are what the kernel
// sees of them.
enum gcn_status gcn_dispatch(const struct gcn_device *device,
                             const struct hsa_kernel_dispatch_packet_s *packet,
                             uint64_t packet_address, uint64_t queue_address,
                             struct gcn_fault *fault);
