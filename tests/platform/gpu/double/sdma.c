// A copy engine. Source of packets: the Linux kernel's vega10_sdma_pkt_open.h.
#include "emu.h"
#include <string.h>

enum { WORDS = 16 };
enum sdma_op { NOP, COPY, FENCE = 5, TRAP, POLL = 8, ATOMIC = 10, FILL, TIMESTAMP = 13 };

static uint64_t wide(const uint32_t *w)
{
    return w[0] | (uint64_t)w[1] << 32;
}

static bool has_work(const struct emu_queue *q, const void *what)
{
    (void)what;
    return atomic_load(q->doorbell) > q->read;
}

static bool fault(uint64_t address, bool write)
{
    emu_log("SDMA: memory fault at %#lx", (unsigned long)address);
    emu_memory_fault(address, write);
    return false;
}

static bool hangs(void)
{
    static _Atomic uint64_t copies;
    if (!emu_is_nth(&emu_settings()->hang_copy, &copies))
        return false;
    emu_log("SDMA: a copy that never completes");
    return true;
}

// In parts: what is contiguous for the GPU may be several mappings.
static bool copy(uint64_t from, uint64_t to, uint64_t left)
{
    const void *whole_from = gpu_at(from, left, false);
    void *whole_to = gpu_at(to, left, true);
    if (whole_from && whole_to) {
        memmove(whole_to, whole_from, left);
        return true;
    }
    while (left) {
        const uint64_t a = EMU_PAGE - from % EMU_PAGE, b = EMU_PAGE - to % EMU_PAGE;
        uint64_t n = a < b ? a : b;
        n = n < left ? n : left;
        const void *source = gpu_at(from, n, false);
        void *target = gpu_at(to, n, true);
        if (!source || !target)
            return fault(source ? to : from, source != NULL);
        memmove(target, source, n);
        from += n;
        to += n;
        left -= n;
    }
    return true;
}

static bool fill(uint64_t to, uint32_t value, uint64_t bytes)
{
    for (uint64_t k = 0; k < bytes / 4; k++) {
        void *at = gpu_at(to + 4 * k, 4, true);
        if (!at)
            return fault(to + 4 * k, true);
        memcpy(at, &value, 4);
    }
    return true;
}

struct poll {
    const uint32_t *words;
};

static bool poll_is_met(const struct emu_queue *q, const void *what)
{
    const uint32_t *w = ((const struct poll *)what)->words;
    const uint32_t *at = gpu_at(wide(w + 1), 4, false);
    (void)q;
    return !at || (__atomic_load_n(at, __ATOMIC_SEQ_CST) & w[4]) == w[3];
}

static bool poll_memory(struct emu_queue *q, const uint32_t *w)
{
    enum { EQUAL = 3 };
    const bool of_memory = w[0] >> 31;
    if (!of_memory)
        return true; // flushes of the data path
    if ((w[0] >> 28 & 7) != EQUAL)
        return false;
    return emu_wait(q, poll_is_met, &(struct poll){w});
}

static bool store(uint64_t address, uint64_t value, size_t size)
{
    void *at = gpu_at(address, size, true);
    if (!at)
        return fault(address, true);
    if (size == 8)
        __atomic_store_n((uint64_t *)at, value, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n((uint32_t *)at, (uint32_t)value, __ATOMIC_SEQ_CST);
    return true;
}

static bool add(uint64_t address, uint64_t value)
{
    uint64_t *at = gpu_at(address, 8, true);
    if (!at)
        return fault(address, true);
    __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
    return true;
}

// One packet. Its length in words goes to *length; false: it cannot be done, or the queue is to
// end.
static bool execute(struct emu_queue *q, const uint32_t *w, unsigned *length)
{
    enum { ATOMIC_ADD_64 = 47 };
    switch (w[0] & 0xff) {
    case NOP:
        *length = 1 + (w[0] >> 16 & 0x3fff);
        return true;
    case COPY:
        *length = 7;
        return (w[0] >> 8 & 0xff) == 0 && !hangs() &&
               copy(wide(w + 3), wide(w + 5), (uint64_t)(w[1] & 0x3fffffff) + 1);
    case FENCE:
        *length = 4;
        return store(wide(w + 1), w[3], 4);
    case TRAP:
        *length = 2;
        emu_event_set(w[1] & 0xfffffff);
        return true;
    case POLL:
        *length = 6;
        return poll_memory(q, w);
    case ATOMIC:
        *length = 8;
        return w[0] >> 25 == ATOMIC_ADD_64 && add(wide(w + 1), wide(w + 3));
    case FILL:
        *length = 5;
        return fill(wide(w + 1), w[3], ((uint64_t)(w[4] & 0x3fffff) + 4) / 4 * 4);
    case TIMESTAMP:
        *length = 3;
        return store(wide(w + 1), gpu_clock(), 8);
    default:
        return false;
    }
}

void *emu_sdma_run(void *queue)
{
    struct emu_queue *q = queue;
    emu_run_on(q->node);
    while (emu_wait(q, has_work, NULL)) {
        uint32_t words[WORDS];
        unsigned length = 1;
        for (unsigned k = 0; k < WORDS; k++)
            memcpy(&words[k], q->ring + (q->read + 4 * k) % q->size, 4);
        if (!execute(q, words, &length)) {
            emu_log("SDMA: packet %#x stops the queue", words[0]);
            emu_wait_for_end(q);
            break;
        }
        q->read += 4ull * length;
        atomic_store(q->read_pointer, q->read);
    }
    return NULL;
}
