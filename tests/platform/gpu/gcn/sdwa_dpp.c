// The two ways in which a one-word vector instruction takes a second word: SDWA (a byte or half of
// each operand) and DPP (source 0 from another lane). Source: ISA, "SDWA" and "DPP".
#include "vop.h"

enum { DWORD = 6 }; // selectors: bytes 0 to 3, words 4 and 5, all

static uint64_t select_part(uint64_t value, unsigned selector, bool extend)
{
    if (selector >= DWORD)
        return value;
    const unsigned bits = selector < 4 ? 8 : 16;
    const uint64_t part =
        value >> (selector < 4 ? 8 * selector : 16 * (selector - 4)) & ((1u << bits) - 1);
    if (!extend || !(part >> (bits - 1)))
        return part;
    return (uint32_t)(part | ~0u << bits);
}

static void gather_part(struct vop *o, uint64_t *into, unsigned kind, unsigned code, uint32_t bits)
{
    vop_gather(o, into, kind_bits(kind) == 16 ? I32 : kind, code, 0);
    for (unsigned l = 0; l < GCN_LANES; l++)
        into[l] = select_part(into[l], bits & 7, bits >> 3 & 1);
    vop_modify(into, kind, bits >> 5 & 1, bits >> 4 & 1);
}

// Puts the selected part of the results back: the rest becomes 0, the sign, or stays (unused = 0,
// 1, 2).
static void place_part(struct vop *o, unsigned selector, unsigned unused)
{
    if (selector >= DWORD)
        return;
    const unsigned bits = selector < 4 ? 8 : 16;
    const unsigned shift = selector < 4 ? 8 * selector : 16 * (selector - 4);
    const uint32_t mask = ((1u << bits) - 1) << shift;
    for (unsigned l = 0; l < GCN_LANES; l++) {
        const uint32_t part = (uint32_t)o->d[l] << shift & mask;
        uint32_t rest = 0;
        if (unused == 1 && o->d[l] >> (bits - 1) & 1)
            rest = shift + bits < 32 ? ~0u << (shift + bits) : 0;
        if (unused == 2)
            rest = o->w->v[o->vdst][l] & ~mask;
        o->d[l] = part | rest;
    }
}

enum gcn_status run_sdwa(struct wave *w, const struct vop_row *row, unsigned op,
                         const struct vop_where *where, uint32_t word)
{
    if (row->flags & RAW || row->c != NONE || kind_bits(row->a) == 64)
        return GCN_ILLEGAL;
    struct vop o;
    struct vop_where part = *where;
    part.sources[0] = (word & 255) + (word >> 23 & 1 ? 0 : FIRST_VGPR);
    if (word >> 31)
        part.sources[1] -= FIRST_VGPR;
    if (row->flags & COMPARES && word >> 15 & 1)
        part.scalar_d = word >> 8 & 127;
    if (!(row->flags & COMPARES)) {
        part.modifiers.clamp = word >> 13 & 1;
        part.modifiers.output = word >> 14 & 3;
    }
    vop_prepare(&o, w, row, op, &part);
    gather_part(&o, o.a, row->a, part.sources[0], word >> 16 & 63);
    if (row->b != NONE)
        gather_part(&o, o.b, row->b, part.sources[1], word >> 24 & 63);
    if (w->bad_operand)
        return GCN_ILLEGAL;
    row->run(&o);
    if (row->d != NONE && kind_bits(row->d) != 64)
        place_part(&o, word >> 8 & 7, word >> 11 & 3);
    struct vop_row whole = *row; // what was placed is written whole
    if (row->d == I16 || row->d == F16)
        whole.d = I32;
    if (part.modifiers.clamp || part.modifiers.output)
        return GCN_ILLEGAL;
    o.row = &whole;
    vop_finish(&o, &part);
    return GCN_OK;
}

// The lane that lane l reads; -1: none. Rows are of 16 lanes.
static int dpp_lane(unsigned control, int l)
{
    const int row = l & ~15, in_row = l & 15, n = (int)(control & 15);
    if (control < 0x100)
        return (l & ~3) + (int)(control >> 2 * (l & 3) & 3);
    switch (control & 0x1f0) {
    case 0x100: // row_shl
        return in_row + n < 16 ? l + n : -1;
    case 0x110: // row_shr
        return in_row - n >= 0 ? l - n : -1;
    case 0x120: // row_ror
        return row + ((in_row - n) & 15);
    case 0x150: // row_newbcast
        return row + n;
    default:
        break;
    }
    switch (control) {
    case 0x130: // wave_shl:1
        return l < 63 ? l + 1 : -1;
    case 0x134: // wave_rol:1
        return (l + 1) & 63;
    case 0x138: // wave_shr:1
        return l - 1;
    case 0x13c: // wave_ror:1
        return (l - 1) & 63;
    case 0x140: // row_mirror
        return row + 15 - in_row;
    case 0x141: // row_half_mirror
        return (l & ~7) + 7 - (l & 7);
    case 0x142: // row_bcast:15
        return row - 1;
    case 0x143: // row_bcast:31
        return l < 32 ? -1 : 31;
    default:
        return -2;
    }
}

enum gcn_status run_dpp(struct wave *w, const struct vop_row *row, unsigned op,
                        const struct vop_where *where, uint32_t word)
{
    const unsigned control = word >> 8 & 0x1ff;
    if (row->flags & (RAW | CONSTANT_B | CONSTANT_C) || dpp_lane(control, 32) == -2)
        return GCN_ILLEGAL;
    struct vop o;
    uint64_t all[GCN_LANES];
    const uint64_t exec = exec_mask(w);
    vop_prepare(&o, w, row, op, where);
    vop_gather(&o, all, row->a, FIRST_VGPR + (word & 255), 0);
    for (int l = 0; l < GCN_LANES; l++) {
        const int from = dpp_lane(control, l);
        const bool valid = from >= 0 && exec >> from & 1;
        o.a[l] = valid ? all[from] : 0;
        const bool masked = !(word >> (28 + l / 16) & 1) || !(word >> (24 + l / 4 % 4) & 1);
        if (masked || (!valid && !(word >> 19 & 1))) // bound_ctrl: 0 for what is not there
            o.exec &= ~(1ull << l);
    }
    vop_modify(o.a, row->a, word >> 21 & 1, word >> 20 & 1);
    if (row->b != NONE) {
        vop_gather(&o, o.b, row->b, where->sources[1], 0);
        vop_modify(o.b, row->b, word >> 23 & 1, word >> 22 & 1);
    }
    if (row->c != NONE)
        vop_gather(&o, o.c, row->c, where->sources[2], 0);
    if (w->bad_operand)
        return GCN_ILLEGAL;
    row->run(&o);
    vop_finish(&o, where);
    return GCN_OK;
}
