// Atomic operations on 32 and 64 bits, common to memory (FLAT, MUBUF) and LDS.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum atomic_op {
    ATOMIC_NONE,
    ATOMIC_SWAP,
    ATOMIC_CMPSWAP, // data: new value, compare
    ATOMIC_ADD,
    ATOMIC_SUB,
    ATOMIC_RSUB,
    ATOMIC_SMIN,
    ATOMIC_UMIN,
    ATOMIC_SMAX,
    ATOMIC_UMAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_ADD_FLOAT,
    ATOMIC_MIN_FLOAT,
    ATOMIC_MAX_FLOAT,
    ATOMIC_ADD_HALVES,
};

// Does it at *at, which must be aligned; returns what was there.
uint64_t atomic_apply(enum atomic_op op, void *at, bool wide, uint64_t data, uint64_t compare);
