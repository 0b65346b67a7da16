// Accesses to LDS by different waves of a work-group with no barrier between them. Source: LLVM,
// "User Guide for AMDGPU Backend", "Memory Model": work-group scope; HIP, "__syncthreads".
#include "wave.h"
#include <stdlib.h>

enum { READ, WRITE, WAYS, SIDES = 2 };

// For each byte, and for reads and writes apart: the first wave of this epoch, and the first other
// one.
struct gcn_byte {
    struct {
        uint64_t epoch, pc;
        uint8_t wave;
        bool atomic; // all of its accesses were
    } seen[WAYS][SIDES];
};

static void tell(struct gcn_races *r, const struct wave *w, uint64_t other, uint32_t at)
{
    if (r->races++ > 0)
        return;
    r->address = at;
    r->pc[0] = other - r->code;
    r->pc[1] = w->fault.pc - r->code;
}

// Whether another wave did what must not meet an access.
static bool meets(const struct gcn_races *r, const struct gcn_byte *b, int way,
                  const struct wave *w, bool atomic, uint64_t *pc)
{
    for (int k = 0; k < SIDES; k++)
        if (b->seen[way][k].epoch == r->epoch && b->seen[way][k].wave != w->number &&
            !(atomic && b->seen[way][k].atomic)) {
            *pc = b->seen[way][k].pc;
            return true;
        }
    return false;
}

static void remember(const struct gcn_races *r, struct gcn_byte *b, int way, const struct wave *w,
                     bool atomic)
{
    for (int k = 0; k < SIDES; k++) {
        const bool fresh = b->seen[way][k].epoch != r->epoch;
        if (!fresh && b->seen[way][k].wave != w->number)
            continue;
        b->seen[way][k].atomic = atomic && (fresh || b->seen[way][k].atomic);
        b->seen[way][k].epoch = r->epoch;
        b->seen[way][k].wave = w->number;
        b->seen[way][k].pc = w->fault.pc;
        return;
    }
}

void gcn_lds_access(const struct wave *w, uint32_t at, unsigned bytes, bool write, bool atomic)
{
    struct gcn_races *r = w->device->races;
    uint64_t pc = 0;
    if (!r)
        return;
    if (!r->bytes)
        r->bytes = calloc(GCN_LDS_SIZE, sizeof *r->bytes);
    if (!r->bytes)
        abort();
    for (uint32_t i = at; i < at + bytes && i < GCN_LDS_SIZE; i++) {
        struct gcn_byte *b = &r->bytes[i];
        if (meets(r, b, WRITE, w, atomic, &pc) || (write && meets(r, b, READ, w, atomic, &pc))) {
            tell(r, w, pc, i);
            return;
        }
        if (write)
            remember(r, b, WRITE, w, atomic);
        if (!write || atomic)
            remember(r, b, READ, w, atomic);
    }
}

// Between two barriers each wave ran to the next one or to its end: all to the same?
void gcn_barrier_reached(struct gcn_races *r, const struct wave *waves, uint32_t n,
                         uint32_t ended_before)
{
    uint64_t at = 0;
    uint32_t waiting = 0, ended = 0;
    bool same = true;
    if (!r)
        return;
    r->epoch++;
    for (uint32_t k = 0; k < n; k++) {
        ended += waves[k].ended;
        if (waves[k].ended)
            continue;
        same &= waiting++ == 0 || waves[k].pc == at;
        at = waves[k].pc;
    }
    if (waiting > 0 && (!same || ended > ended_before) && r->parted++ == 0)
        r->barrier = at - r->code;
}

void gcn_races_free(struct gcn_races *r)
{
    free(r->bytes);
    r->bytes = NULL;
}
