// The loads, stores and atomic operations that FLAT and MUBUF number alike.
#pragma once

#include "atomic.h"
#include "wave.h"

struct access {
    uint8_t bytes;          // 0: not known
    bool store, sign, high; // sign-extends; the upper half of the register
    bool half;              // loads 16 bits and keeps the other half
    enum atomic_op atomic;
};

// For gcn_touch.
static inline unsigned access_touches(const struct access *a)
{
    return a->atomic ? GCN_LOADS | GCN_STORES : a->store ? GCN_STORES : GCN_LOADS;
}

// NULL where the number is none.
const struct access *access_of(unsigned op);

// The host's pointers to each dword (or to what is smaller) of one lane.
struct access_place {
    void *dwords[4];
};

void access_load(struct wave *w, const struct access *a, const struct access_place *at, unsigned d,
                 unsigned lane);
void access_store(struct wave *w, const struct access *a, const struct access_place *at,
                  unsigned data, unsigned lane);
// returns: whether the instruction wants the old value in register d
enum gcn_status access_atomic(struct wave *w, const struct access *a, void *at, unsigned data,
                              unsigned d, bool returns, unsigned lane);
