/* The ops of D: the interpreter has each of these as its own handler, compiled code calls them by
 * their number. */
#ifndef ROOFTOP_VTPU_COMPUTE_H
#define ROOFTOP_VTPU_COMPUTE_H

#include "vtpu/state.h"

static inline uint64_t vtpu_rotate(uint64_t v, unsigned k)
{
    return v << (k & 63) | v >> (-k & 63);
}

static inline uint64_t vtpu_compare(uint64_t a, uint64_t b)
{
    int64_t x = (int64_t)a, y = (int64_t)b;
    return (uint64_t)((x > y) - (x < y));
}

/* The value of an op of D with a, b, c and rd the values of its registers. Folds to one op where
 * code is a constant. */
static inline uint64_t vtpu_d_value(enum vtpu_code code, const struct vtpu_op *op,
                                    const uint64_t *r, int64_t imm)
{
    uint64_t a = r[op->a];
    switch ((int)code) {
    case VTPU_DADD:
    case VTPU_DHDBUND:
        return a + r[op->b];
    case VTPU_DSUB:
        return a - r[op->b];
    case VTPU_DMUL:
        return a * r[op->b];
    case VTPU_DFMA:
        return a * r[op->b] + r[op->c];
    case VTPU_DCMP:
        return vtpu_compare(a, r[op->b]);
    case VTPU_DSEL:
        return r[op->c] ? a : r[op->b];
    case VTPU_DMOV:
        return (uint64_t)imm;
    case VTPU_DHDENC:
    case VTPU_DHDPERM:
        return vtpu_rotate(a, op->b);
    case VTPU_DHDBIND:
        return a ^ r[op->b];
    case VTPU_DHDSIM:
        return 64 - (uint64_t)__builtin_popcountll(a ^ r[op->b]);
    case VTPU_DTERNARY:
        return a * (uint64_t)(int64_t)vtpu_trit_sum(r[op->b]);
    case VTPU_DTPOP:
        return (uint64_t)vtpu_trit_count(a);
    case VTPU_DTACC:
        return r[op->rd] + a;
    default: /* DRED */
        return a;
    }
}

#endif
