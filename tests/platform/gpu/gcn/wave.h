// The state of a wave, and its operands. Register numbers are those of the encodings.
#pragma once

#include "gcn.h"

enum { // scalar operands with a meaning
    FLAT_SCRATCH = 102,
    VCC = 106,
    M0 = 124,
    EXEC = 126,
    SGPRS = 128,
    SHARED_BASE = 235,
    SHARED_LIMIT = 236,
    PRIVATE_BASE = 237,
    PRIVATE_LIMIT = 238,
    VCCZ = 251,
    EXECZ = 252,
    SCC = 253,
    LITERAL = 255,
    FIRST_VGPR = 256,
    VGPRS = 256, // and as many accumulation registers after them
    WIDEST = 16, // registers that one operand may take
};

enum { INDEX_SRC0 = 1, INDEX_SRC1 = 2, INDEX_SRC2 = 4, INDEX_DST = 8 }; // of index_mode

struct wave {
    uint32_t s[SGPRS + WIDEST];
    uint32_t v[2 * VGPRS + WIDEST][GCN_LANES];
    uint64_t pc;
    uint32_t literal;    // of the instruction at hand
    uint32_t index_mode; // which operands are indexed by M0 (s_set_gpr_idx_on)
    bool scc, ended, at_barrier;
    bool bad_operand; // one was met that is not emulated
    const struct gcn_device *device;
    uint8_t *lds;
    uint32_t lds_size;
    uint8_t number;        // in its work-group
    uint64_t scratch;      // GPU address of this wave's private memory, lanes interleaved by dword
    uint32_t scratch_size; // bytes of it for each lane
    struct gcn_fault fault;
};

static inline uint64_t pair(const uint32_t *r)
{
    return r[0] | (uint64_t)r[1] << 32;
}
static inline void set_pair(uint32_t *r, uint64_t value)
{
    r[0] = (uint32_t)value;
    r[1] = (uint32_t)(value >> 32);
}
static inline uint64_t exec_mask(const struct wave *w)
{
    return pair(w->s + EXEC);
}
static inline uint64_t lane_pair(struct wave *w, unsigned vgpr, unsigned lane)
{
    return w->v[vgpr][lane] | (uint64_t)w->v[vgpr + 1][lane] << 32;
}

// A scalar operand (register, constant, literal) of 16, 32 or 64 bits. Sets w->bad_operand where it
// is none.
uint64_t scalar_read(struct wave *w, unsigned code, unsigned bits);

// GPU address of a dword of private memory: lanes are interleaved. base: of the wave; offset: of
// the lane, in bytes.
static inline uint64_t scratch_address(uint64_t base, uint32_t offset, unsigned lane)
{
    return base + (uint64_t)(offset / 4) * 4 * GCN_LANES + 4 * (uint64_t)lane + offset % 4;
}

// Each executes one instruction of its encoding; pc has passed it already.
enum gcn_status run_sop2(struct wave *w, uint32_t i);
enum gcn_status run_sop1(struct wave *w, uint32_t i);
enum gcn_status run_sopc(struct wave *w, uint32_t i);
enum gcn_status run_sopk(struct wave *w, uint32_t i);
enum gcn_status run_sopp(struct wave *w, uint32_t i);
enum gcn_status run_smem(struct wave *w, uint32_t i0, uint32_t i1);
enum gcn_status run_vop1(struct wave *w, uint32_t i0, uint32_t i1);
enum gcn_status run_vop2(struct wave *w, uint32_t i0, uint32_t i1);
enum gcn_status run_vopc(struct wave *w, uint32_t i0, uint32_t i1);
enum gcn_status run_vop3(struct wave *w, uint32_t i0, uint32_t i1);
enum gcn_status run_vop3p(struct wave *w, uint32_t i0, uint32_t i1);
enum gcn_status run_ds(struct wave *w, uint32_t i0, uint32_t i1);
enum gcn_status run_flat(struct wave *w, uint32_t i0, uint32_t i1);
enum gcn_status run_mubuf(struct wave *w, uint32_t i0, uint32_t i1);

// What the check of races sees; nothing where it is off.
void gcn_lds_access(const struct wave *w, uint32_t at, unsigned bytes, bool write, bool atomic);
void gcn_barrier_reached(struct gcn_races *r, const struct wave *waves, uint32_t n,
                         uint32_t ended_before);

// Runs until the wave ends, waits at a barrier, or fails.
enum gcn_status wave_run(struct wave *w);
