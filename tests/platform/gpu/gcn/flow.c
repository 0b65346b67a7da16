// Program flow (SOPP), scalar loads (SMEM), and the loop that decodes.
#include "wave.h"
#include <string.h>

static bool branches(const struct wave *w, unsigned op)
{
    switch (op) {
    case 2: // s_branch
        return true;
    case 4: // s_cbranch_scc0 and its kin
        return !w->scc;
    case 5:
        return w->scc;
    case 6:
        return pair(w->s + VCC) == 0;
    case 7:
        return pair(w->s + VCC) != 0;
    case 8:
        return exec_mask(w) == 0;
    default:
        return exec_mask(w) != 0;
    }
}

enum gcn_status run_sopp(struct wave *w, uint32_t i)
{
    const unsigned op = i >> 16 & 127;
    switch (op) {
    case 0:  // s_nop
    case 3:  // s_wakeup
    case 12: // s_waitcnt: loads are done when they are issued
    case 14: // s_sleep
    case 15: // s_setprio
    case 19: // s_icache_inv
        return GCN_OK;
    case 1:
        w->ended = true;
        return GCN_OK;
    case 10:
        w->at_barrier = true;
        return GCN_OK;
    case 28: // s_set_gpr_idx_off, s_set_gpr_idx_mode
        w->index_mode = 0;
        return GCN_OK;
    case 29:
        w->index_mode = i & 15;
        w->s[M0] = (w->s[M0] & ~0xf000u) | (i & 15) << 12;
        return GCN_OK;
    default:
        break;
    }
    if (op != 2 && (op < 4 || op > 9))
        return GCN_ILLEGAL;
    if (branches(w, op))
        w->pc += (uint64_t)((int64_t)(int16_t)i * 4);
    return GCN_OK;
}

enum gcn_status run_smem(struct wave *w, uint32_t i0, uint32_t i1)
{
    const unsigned op = i0 >> 18 & 255, d = i0 >> 6 & 127, base = (i0 & 63) * 2;
    if (op >= 32 && op <= 35) // s_dcache_inv, s_dcache_wb, and both volatile
        return GCN_OK;
    if (op == 36 || op == 37) { // s_memtime, s_memrealtime
        set_pair(w->s + d, gpu_clock());
        return GCN_OK;
    }
    if (op > 4)
        return GCN_ILLEGAL;
    const unsigned count = 1u << op;
    const bool immediate = i0 >> 17 & 1, scalar = i0 >> 14 & 1;
    int64_t offset = 0;
    if (immediate)
        offset = (int32_t)(i1 << 11) >> 11;
    if (scalar)
        offset += w->s[i1 >> 25];
    else if (!immediate)
        offset = w->s[i1 & 127];
    const uint64_t address = (pair(w->s + base) + (uint64_t)offset) & ~3ull;
    const void *from = gpu_at(address, 4 * (size_t)count, false);
    if (!from) {
        w->fault.address = address;
        return GCN_FAULT;
    }
    gcn_touch(w->device->counts, address, 4 * count, GCN_LOADS);
    memcpy(w->s + d, from, 4 * (size_t)count);
    return GCN_OK;
}

// Whether a one-word encoding is followed by a literal, or (for vectors) by what SDWA or DPP need.
static bool has_second_word(uint32_t i)
{
    if (i >> 30 == 3) // SMEM, VOP3, DS, FLAT, MUBUF
        return true;
    if (i >> 31 == 0) { // VOP2, VOP1, VOPC
        const unsigned source = i & 511, op = i >> 25;
        if (source == 255 || source == 249 || source == 250)
            return true;
        return op == 23 || op == 24 || op == 36 || op == 37; // madmk, madak: a constant always
    }
    if (i >> 23 == 0x17f) // SOPP
        return false;
    if (i >> 23 == 0x17d) // SOP1
        return (i & 255) == LITERAL;
    if (i >> 28 == 0xb) // SOPK, after SOP1, SOPC and SOPP, which share its first bits
        return i >> 23 == 0x17e ? (i & 255) == LITERAL || (i >> 8 & 255) == LITERAL
                                : (i >> 23 & 31) == 20; // s_setreg_imm32_b32
    return (i & 255) == LITERAL || (i >> 8 & 255) == LITERAL;
}

static enum gcn_status run_vector(struct wave *w, uint32_t i0, uint32_t i1)
{
    if (i0 >> 25 == 0x3f)
        return run_vop1(w, i0, i1);
    if (i0 >> 25 == 0x3e)
        return run_vopc(w, i0, i1);
    return run_vop2(w, i0, i1);
}

static enum gcn_status run_scalar(struct wave *w, uint32_t i)
{
    switch (i >> 23) {
    case 0x17d:
        return run_sop1(w, i);
    case 0x17e:
        return run_sopc(w, i);
    case 0x17f:
        return run_sopp(w, i);
    default:
        return i >> 28 == 0xb ? run_sopk(w, i) : run_sop2(w, i);
    }
}

static enum gcn_status run_long(struct wave *w, uint32_t i0, uint32_t i1)
{
    switch (i0 >> 26) {
    case 0x30:
        return run_smem(w, i0, i1);
    case 0x34:
        return i0 >> 23 == 0x1a7 ? run_vop3p(w, i0, i1) : run_vop3(w, i0, i1);
    case 0x36:
        return run_ds(w, i0, i1);
    case 0x37:
        return run_flat(w, i0, i1);
    case 0x38:
        return run_mubuf(w, i0, i1);
    default:
        return GCN_ILLEGAL;
    }
}

static enum gcn_status step(struct wave *w)
{
    const uint32_t *code = gpu_at(w->pc, 4, false);
    w->fault = (struct gcn_fault){.pc = w->pc, .address = w->pc};
    if (!code)
        return GCN_FAULT;
    const uint32_t i = w->fault.instruction[0] = code[0];
    if (w->device->counts)
        w->device->counts->instructions++;
    uint32_t next = 0;
    w->pc += 4;
    if (has_second_word(i)) {
        code = gpu_at(w->pc, 4, false);
        if (!code)
            return GCN_FAULT;
        next = w->fault.instruction[1] = w->literal = *code;
        w->pc += 4;
    }
    enum gcn_status status;
    if (i >> 31 == 0)
        status = run_vector(w, i, next);
    else if (i >> 30 == 3)
        status = run_long(w, i, next);
    else
        status = run_scalar(w, i);
    return status == GCN_OK && w->bad_operand ? GCN_ILLEGAL : status;
}

enum gcn_status wave_run(struct wave *w)
{
    w->at_barrier = false;
    for (unsigned n = 0; !w->ended && !w->at_barrier; n++) {
        if (n % 1024 == 0 && w->device->stop && atomic_load(w->device->stop))
            return GCN_STOPPED;
        const enum gcn_status status = step(w);
        if (status != GCN_OK)
            return status;
    }
    return GCN_OK;
}
