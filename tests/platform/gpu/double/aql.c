// A compute queue: the packets of its ring, in order. Signals are written as the command processor
// writes them. Sources: "HSA Platform System Architecture Specification", packets; amd_hsa_queue.h
// and amd_hsa_signal.h, what they touch.
#include "emu.h"
#include "format/emulated_counts.h"
#include <pthread.h>
#include <hsa/hsa.h>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { PACKET = 64, BARRIER_VALUE = 2, DEPENDENCIES = 5 };

struct barrier_value { // hsa_amd_barrier_value_packet_t; older headers lack it
    uint16_t header;
    uint8_t format, reserved0;
    uint32_t reserved1;
    uint64_t signal;
    int64_t value, mask;
    uint32_t condition;
};

static amd_queue_t *shared_queue(const struct emu_queue *q)
{
    return host_pointer((uintptr_t)q->read_pointer - offsetof(amd_queue_t, read_dispatch_id));
}

static uint8_t *packet_at(const struct emu_queue *q)
{
    return q->ring + q->read % (q->size / PACKET) * PACKET;
}

static unsigned packet_type(const struct emu_queue *q)
{
    return atomic_load((_Atomic uint16_t *)packet_at(q)) & 0xff;
}

// Several threads ring a doorbell in any order, and only the last value stays: a queue that was
// rung at all is read up to its write index. Packets whose header is not written yet are waited
// for.
static bool has_packet(const struct emu_queue *q, const void *what)
{
    (void)what;
    const _Atomic uint64_t *written = (const _Atomic uint64_t *)&shared_queue(q)->write_dispatch_id;
    return atomic_load(q->doorbell) != UINT64_MAX && atomic_load(written) > q->read &&
           packet_type(q) != HSA_PACKET_TYPE_INVALID;
}

static void notify(amd_signal_t *signal)
{
    if (!signal->event_mailbox_ptr)
        return;
    atomic_store((_Atomic uint64_t *)host_pointer(signal->event_mailbox_ptr), signal->event_id);
    emu_event_set(signal->event_id);
}

void emu_queue_error(struct emu_queue *q, int code)
{
    if (!q->error)
        return;
    atomic_fetch_or(q->error, (int64_t)1 << (code - 1));
    notify(host_pointer((uintptr_t)q->error - offsetof(amd_signal_t, value)));
}

static void complete(uint64_t handle, uint64_t start, bool with_times)
{
    amd_signal_t *signal = host_pointer(handle);
    if (!signal)
        return;
    if (with_times) {
        const uint64_t end = gpu_clock();
        signal->start_ts = start;
        signal->end_ts = end > start ? end : start + 1;
    }
    atomic_fetch_sub((_Atomic int64_t *)&signal->value, 1);
    notify(signal);
}

// Private memory for the waves of a dispatch; it grows and stays.
static bool provide_scratch(struct emu_queue *q, size_t needed)
{
    if (needed <= q->scratch_size)
        return true;
    needed = (needed + EMU_PAGE - 1) / EMU_PAGE * EMU_PAGE;
    void *memory = mmap(NULL, needed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    if (q->scratch) {
        emu_unmap((uint64_t)(uintptr_t)q->scratch, EMU_ALL_GPUS);
        munmap(q->scratch, q->scratch_size);
    }
    q->scratch = memory;
    q->scratch_size = needed;
    return emu_map((uint64_t)(uintptr_t)memory, needed, memory, PROT_READ | PROT_WRITE,
                   EMU_ALL_GPUS);
}

static enum gcn_status injected(enum emu_trouble trouble, struct gcn_fault *fault)
{
    fault->address = 0xdead000;
    fault->write = true;
    return trouble == EMU_FAULTS ? GCN_FAULT : GCN_ILLEGAL;
}

static _Atomic uint64_t all_dispatches, all_instructions, all_lines, all_loaded, all_stored;

EXPORT void rooftop_emulated_counts(struct emulated_counts *out);
void rooftop_emulated_counts(struct emulated_counts *out)
{
    *out = (struct emulated_counts){.dispatches = atomic_load(&all_dispatches),
                                    .instructions = atomic_load(&all_instructions),
                                    .lines = atomic_load(&all_lines),
                                    .loaded = atomic_load(&all_loaded),
                                    .stored = atomic_load(&all_stored)};
}

static atomic_bool look_for_races;
static struct emulated_races all_races;
static pthread_mutex_t races_lock = PTHREAD_MUTEX_INITIALIZER;

EXPORT void rooftop_emulated_races(bool look, struct emulated_races *out);
void rooftop_emulated_races(bool look, struct emulated_races *out)
{
    atomic_store(&look_for_races, look);
    pthread_mutex_lock(&races_lock);
    *out = all_races;
    all_races = (struct emulated_races){.races = 0};
    pthread_mutex_unlock(&races_lock);
}

static void keep_races(uint64_t kernel, const struct gcn_races *r)
{
    if (r->races || r->parted)
        emu_log(
            "races in %#lx: %lu, first at +%#lx and +%#lx, LDS %#x; %lu barriers not reached by "
            "all waves, first at +%#lx",
            (unsigned long)kernel, (unsigned long)r->races, (unsigned long)r->pc[0],
            (unsigned long)r->pc[1], r->address, (unsigned long)r->parted,
            (unsigned long)r->barrier);
    pthread_mutex_lock(&races_lock);
    if (all_races.races == 0) {
        all_races.pc[0] = r->pc[0];
        all_races.pc[1] = r->pc[1];
        all_races.address = r->address;
    }
    if (all_races.parted == 0)
        all_races.barrier = r->barrier;
    all_races.races += r->races;
    all_races.parted += r->parted;
    pthread_mutex_unlock(&races_lock);
}

static void count(const struct gcn_counts *c)
{
    atomic_fetch_add(&all_dispatches, 1);
    atomic_fetch_add(&all_instructions, c->instructions);
    atomic_fetch_add(&all_lines, c->lines);
    atomic_fetch_add(&all_loaded, c->loaded);
    atomic_fetch_add(&all_stored, c->stored);
}

// On hardware the order of waves and the contents of LDS differ from dispatch to dispatch.
struct turn {
    bool backwards;
    uint64_t lds_seed;
};
static struct turn turn_of_next(uint64_t kernel_object)
{
    static _Atomic uint64_t dispatches;
    struct emu_object object;
    if (!emu_settings()->varies || !emu_object_at(kernel_object, &object) || !object.block)
        return (struct turn){.backwards = false};
    const uint64_t n = atomic_fetch_add(&dispatches, 1);
    return (struct turn){.backwards = n % 2 == 1, .lds_seed = n + 1};
}

// False: the queue is dead, or is to end.
static bool dispatch(struct emu_queue *q, const hsa_kernel_dispatch_packet_t *packet)
{
    struct gcn_fault fault = {.pc = packet->kernel_object};
    const enum emu_trouble trouble = emu_trouble_of_next_dispatch(packet->kernel_object);
    enum gcn_status status;
    if (trouble == EMU_HANGS)
        return false;
    if (trouble == EMU_QUEUE_DIES) {
        emu_queue_dies(q);
        return false;
    }
    if (trouble != EMU_FINE && trouble != EMU_UNCOUNTED)
        status = injected(trouble, &fault);
    else if (!provide_scratch(q, gcn_scratch_needed(packet)))
        status = GCN_BAD_DISPATCH;
    else {
        struct gcn_counts counts = {0};
        struct gcn_races races = {0};
        const bool look = emu_settings()->races || atomic_load(&look_for_races);
        const struct turn turn = turn_of_next(packet->kernel_object);
        const struct gcn_device device = {.arch = emu_settings()->arch,
                                          .shared_aperture = EMU_SHARED_APERTURE,
                                          .private_aperture = EMU_PRIVATE_APERTURE,
                                          .scratch = (uint64_t)(uintptr_t)q->scratch,
                                          .scratch_size = q->scratch_size,
                                          .stop = &q->stop,
                                          .backwards = turn.backwards,
                                          .lds_seed = turn.lds_seed,
                                          .counts = &counts,
                                          .races = look ? &races : NULL};
        status = gcn_dispatch(&device, packet, (uint64_t)(uintptr_t)packet,
                              (uint64_t)(uintptr_t)shared_queue(q), &fault);
        if (trouble == EMU_UNCOUNTED)
            counts.loaded = counts.stored = 0;
        count(&counts);
        gcn_counts_free(&counts);
        keep_races(packet->kernel_object, &races);
        gcn_races_free(&races);
    }
    emu_log("dispatch of %#lx, grid %u x %u x %u: %d", (unsigned long)packet->kernel_object,
            packet->grid_size_x, packet->grid_size_y, packet->grid_size_z, status);
    if (status == GCN_OK)
        return true;
    if (status != GCN_STOPPED)
        emu_report(q, status, &fault);
    return false;
}

static int64_t signal_value(uint64_t handle)
{
    amd_signal_t *signal = host_pointer(handle);
    return atomic_load((_Atomic int64_t *)&signal->value);
}

static bool and_is_met(const struct emu_queue *q, const void *what)
{
    const hsa_barrier_and_packet_t *packet = what;
    (void)q;
    for (int k = 0; k < DEPENDENCIES; k++)
        if (packet->dep_signal[k].handle && signal_value(packet->dep_signal[k].handle) != 0)
            return false;
    return true;
}

static bool or_is_met(const struct emu_queue *q, const void *what)
{
    const hsa_barrier_or_packet_t *packet = what;
    bool any = false;
    (void)q;
    for (int k = 0; k < DEPENDENCIES; k++) {
        if (!packet->dep_signal[k].handle)
            continue;
        if (signal_value(packet->dep_signal[k].handle) == 0)
            return true;
        any = true;
    }
    return !any;
}

static bool value_is_met(const struct emu_queue *q, const void *what)
{
    const struct barrier_value *packet = what;
    (void)q;
    const int64_t value = signal_value(packet->signal) & packet->mask;
    switch (packet->condition) {
    case HSA_SIGNAL_CONDITION_EQ:
        return value == packet->value;
    case HSA_SIGNAL_CONDITION_NE:
        return value != packet->value;
    case HSA_SIGNAL_CONDITION_LT:
        return value < packet->value;
    default:
        return value >= packet->value;
    }
}

// Does what the packet says. False: the queue is dead, or is to end.
static bool execute(struct emu_queue *q, const uint8_t *packet)
{
    switch (packet_type(q)) {
    case HSA_PACKET_TYPE_KERNEL_DISPATCH:
        return dispatch(q, (const hsa_kernel_dispatch_packet_t *)packet);
    case HSA_PACKET_TYPE_BARRIER_AND:
        return emu_wait(q, and_is_met, packet);
    case HSA_PACKET_TYPE_BARRIER_OR:
        return emu_wait(q, or_is_met, packet);
    case HSA_PACKET_TYPE_VENDOR_SPECIFIC: // else PM4 in a buffer: invalidates caches, of which
                                          // there are none
        return ((const struct barrier_value *)packet)->format != BARRIER_VALUE ||
               emu_wait(q, value_is_met, packet);
    default:
        emu_report(q, GCN_BAD_DISPATCH, &(struct gcn_fault){0});
        return false;
    }
}

void *emu_aql_run(void *queue)
{
    struct emu_queue *q = queue;
    emu_run_on(q->node);
    while (emu_wait(q, has_packet, NULL)) {
        uint8_t *packet = packet_at(q);
        const amd_queue_t *shared = shared_queue(q);
        const bool vendor = packet_type(q) == HSA_PACKET_TYPE_VENDOR_SPECIFIC;
        const uint64_t start = gpu_clock();
        hsa_signal_t completion;
        memcpy(&completion, packet + PACKET - sizeof completion, sizeof completion);
        if (!execute(q, packet)) {
            emu_wait_for_end(q); // stuck, as on hardware
            break;
        }
        atomic_store((_Atomic uint16_t *)packet, HSA_PACKET_TYPE_INVALID);
        atomic_store(q->read_pointer, ++q->read);
        const bool profiled = shared->queue_properties & AMD_QUEUE_PROPERTIES_ENABLE_PROFILING;
        complete(completion.handle, start, profiled || vendor);
    }
    return NULL;
}
