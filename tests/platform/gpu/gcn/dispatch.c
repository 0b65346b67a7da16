// A kernel dispatch packet: its kernel descriptor, the initial registers of each wave, work-group
// after work-group. Source of the descriptor and the initial state: LLVM, "User Guide for AMDGPU
// Backend", "Kernel Descriptor" and "Initial Kernel Execution State".
#include "wave.h"
#include <hsa/hsa.h>
#include <stdlib.h>
#include <string.h>

struct descriptor {
    uint32_t group_size, private_size, kernarg_size, reserved0;
    int64_t entry; // relative to the descriptor
    uint8_t reserved1[20];
    uint32_t rsrc3, rsrc1, rsrc2;
    uint16_t properties, preload;
    uint8_t reserved2[4];
};
_Static_assert(sizeof(struct descriptor) == 64, "as in the code object");

enum { // kernel code properties
    PRIVATE_BUFFER = 1,
    DISPATCH_POINTER = 2,
    QUEUE_POINTER = 4,
    KERNARG_POINTER = 8,
    DISPATCH_ID = 16,
    FLAT_SCRATCH_INIT = 32,
    PRIVATE_SIZE = 64,
    MOST_ITEMS = 1024, // in a work-group
    MOST_WAVES = MOST_ITEMS / GCN_LANES,
};

struct extent {
    uint32_t x, y, z;
};

struct run {
    const struct gcn_device *device;
    const hsa_kernel_dispatch_packet_t *packet;
    uint64_t packet_address, queue_address;
    struct descriptor kernel;
    struct extent size, grid, groups; // of a work-group, of all, and how many groups
    struct wave *waves;
    uint8_t *lds;
    uint64_t wave_scratch; // bytes for each wave
};

static uint64_t scratch_of_wave(const hsa_kernel_dispatch_packet_t *p)
{
    return ((uint64_t)p->private_segment_size + 15) / 16 * 16 * GCN_LANES;
}

static struct extent group_extent(const hsa_kernel_dispatch_packet_t *p)
{
    const unsigned dimensions = p->setup & 3;
    return (struct extent){p->workgroup_size_x, dimensions > 1 ? p->workgroup_size_y : 1,
                           dimensions > 2 ? p->workgroup_size_z : 1};
}

size_t gcn_scratch_needed(const hsa_kernel_dispatch_packet_t *packet)
{
    const struct extent size = group_extent(packet);
    const uint64_t items = (uint64_t)size.x * size.y * size.z;
    if (packet->private_segment_size == 0 || items > MOST_ITEMS)
        return 0;
    return scratch_of_wave(packet) * ((items + GCN_LANES - 1) / GCN_LANES);
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

static enum gcn_status prepare(struct run *r, struct gcn_fault *fault)
{
    const hsa_kernel_dispatch_packet_t *p = r->packet;
    const unsigned dimensions = p->setup & 3;
    const void *kernel = gpu_at(p->kernel_object, sizeof r->kernel, false);
    if (!kernel) {
        fault->address = p->kernel_object;
        return GCN_FAULT;
    }
    memcpy(&r->kernel, kernel, sizeof r->kernel);
    r->size = group_extent(p);
    r->grid = (struct extent){p->grid_size_x, dimensions > 1 ? p->grid_size_y : 1,
                              dimensions > 2 ? p->grid_size_z : 1};
    const uint64_t items = (uint64_t)r->size.x * r->size.y * r->size.z;
    if (p->kernel_object % 64 || dimensions == 0 || items == 0 || items > MOST_ITEMS ||
        r->grid.x == 0 || r->grid.y == 0 || r->grid.z == 0 ||
        p->group_segment_size > GCN_LDS_SIZE || p->group_segment_size < r->kernel.group_size ||
        p->private_segment_size < r->kernel.private_size ||
        gcn_scratch_needed(p) > r->device->scratch_size)
        return GCN_BAD_DISPATCH;
    r->groups = (struct extent){divide_up(r->grid.x, r->size.x), divide_up(r->grid.y, r->size.y),
                                divide_up(r->grid.z, r->size.z)};
    r->wave_scratch = scratch_of_wave(p);
    return GCN_OK;
}

// A buffer over private memory: dwords of 64 lanes side by side, the lane added. Source: ISA,
// "Buffer resource".
static void private_buffer(const struct run *r, uint32_t *s)
{
    s[0] = (uint32_t)r->device->scratch;
    s[1] = (uint32_t)(r->device->scratch >> 32 & 0xffff) | 1u << 31;
    s[2] = UINT32_MAX;
    s[3] = 1u << 19 | 3u << 21 | 1u << 23;
}

static enum gcn_status preload(const struct run *r, struct wave *w, unsigned n)
{
    const unsigned length = r->kernel.preload & 127, offset = r->kernel.preload >> 7;
    if (!length)
        return GCN_OK;
    const uint64_t from = (uint64_t)(uintptr_t)r->packet->kernarg_address + 4ull * offset;
    const void *arguments = gpu_at(from, 4 * (size_t)length, false);
    if (!arguments || n + length > 16) {
        w->fault.address = from;
        return arguments ? GCN_BAD_DISPATCH : GCN_FAULT;
    }
    memcpy(w->s + n, arguments, 4 * (size_t)length);
    w->pc += 256; // past the code that loads them where hardware does not
    return GCN_OK;
}

static unsigned put_pair(struct wave *w, unsigned n, uint64_t value)
{
    set_pair(w->s + n, value);
    return n + 2;
}

static enum gcn_status user_registers(const struct run *r, struct wave *w)
{
    const unsigned p = r->kernel.properties;
    unsigned n = 0;
    if (p & PRIVATE_BUFFER) {
        private_buffer(r, w->s);
        n = 4;
    }
    if (p & DISPATCH_POINTER)
        n = put_pair(w, n, r->packet_address);
    if (p & QUEUE_POINTER)
        n = put_pair(w, n, r->queue_address);
    if (p & KERNARG_POINTER)
        n = put_pair(w, n, (uint64_t)(uintptr_t)r->packet->kernarg_address);
    if (p & DISPATCH_ID)
        n = put_pair(w, n, 0);
    if (p & FLAT_SCRATCH_INIT)
        n = put_pair(w, n, r->device->scratch);
    if (p & PRIVATE_SIZE)
        w->s[n++] = r->packet->private_segment_size;
    return preload(r, w, n);
}

// Where work-group at begins, and how much of it lies in the grid.
static struct extent group_at(const struct run *r, const struct extent *at)
{
    const struct extent left = {r->grid.x - at->x * r->size.x, r->grid.y - at->y * r->size.y,
                                r->grid.z - at->z * r->size.z};
    return (struct extent){left.x < r->size.x ? left.x : r->size.x,
                           left.y < r->size.y ? left.y : r->size.y,
                           left.z < r->size.z ? left.z : r->size.z};
}

static void item_ids(struct wave *w, uint32_t first, const struct extent *size)
{
    const uint32_t items = size->x * size->y * size->z;
    uint64_t exec = 0;
    for (uint32_t l = 0; l < GCN_LANES && first + l < items; l++) {
        const uint32_t id = first + l;
        const uint32_t x = id % size->x, y = id / size->x % size->y, z = id / size->x / size->y;
        w->v[0][l] = x | y << 10 | z << 20; // packed in one register on gfx90a and later
        exec |= 1ull << l;
    }
    set_pair(w->s + EXEC, exec);
}

static enum gcn_status start_wave(const struct run *r, struct wave *w, uint32_t k,
                                  const struct extent *group, const struct extent *size)
{
    memset(w->s, 0, sizeof w->s);
    w->pc = r->packet->kernel_object + (uint64_t)r->kernel.entry;
    w->scc = w->ended = w->at_barrier = w->bad_operand = false;
    w->index_mode = 0;
    w->fault = (struct gcn_fault){.pc = w->pc};
    w->device = r->device;
    w->lds = r->lds;
    w->number = (uint8_t)k;
    w->lds_size = r->packet->group_segment_size;
    w->scratch = r->device->scratch + k * r->wave_scratch;
    w->scratch_size = r->packet->private_segment_size;
    const enum gcn_status status = user_registers(r, w);
    if (status != GCN_OK)
        return status;
    unsigned n = r->kernel.rsrc2 >> 1 & 31;
    if (n + 5 > 102)
        return GCN_BAD_DISPATCH;
    if (r->kernel.rsrc2 >> 7 & 1)
        w->s[n++] = group->x;
    if (r->kernel.rsrc2 >> 8 & 1)
        w->s[n++] = group->y;
    if (r->kernel.rsrc2 >> 9 & 1)
        w->s[n++] = group->z;
    if (r->kernel.rsrc2 >> 10 & 1)
        w->s[n++] = 0; // work-group information: not modelled, and no compiler asks for it
    if (r->device->arch == GCN_GFX942)
        set_pair(w->s + FLAT_SCRATCH, w->scratch);
    else if (r->kernel.rsrc2 & 1)
        w->s[n] = (uint32_t)(k * r->wave_scratch);
    item_ids(w, k * GCN_LANES, size);
    return GCN_OK;
}

// LDS holds what other work-groups left there. Source: ISA, "LDS": it is not initialised.
static void fill_lds(const struct run *r)
{
    uint64_t state = r->device->lds_seed;
    for (uint32_t at = 0; state && at + 8 <= r->packet->group_segment_size; at += 8) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint64_t bits = state ^ state >> 29;
        memcpy(r->lds + at, &bits, sizeof bits);
    }
}

// Waves in turn, each to the next barrier or its end.
static enum gcn_status run_group(struct run *r, const struct extent *group, struct gcn_fault *fault)
{
    const struct extent size = group_at(r, group);
    fill_lds(r);
    const uint32_t waves = divide_up(size.x * size.y * size.z, GCN_LANES);
    enum gcn_status status = GCN_OK;
    for (uint32_t k = 0; k < waves && status == GCN_OK; k++) {
        status = start_wave(r, &r->waves[k], k, group, &size);
        *fault = r->waves[k].fault;
    }
    if (r->device->races) {
        r->device->races->code = r->packet->kernel_object + (uint64_t)r->kernel.entry;
        r->device->races->epoch++;
    }
    for (uint32_t running = waves; running && status == GCN_OK;) {
        const uint32_t ended = waves - running;
        running = 0;
        for (uint32_t n = 0; n < waves && status == GCN_OK; n++) {
            const uint32_t k = r->device->backwards ? waves - 1 - n : n;
            if (r->waves[k].ended)
                continue;
            status = wave_run(&r->waves[k]);
            *fault = r->waves[k].fault;
            running += !r->waves[k].ended;
        }
        gcn_barrier_reached(r->device->races, r->waves, waves, ended);
    }
    return status;
}

static enum gcn_status run_groups(struct run *r, struct gcn_fault *fault)
{
    const uint64_t row = r->groups.x, layer = row * r->groups.y, all = layer * r->groups.z;
    enum gcn_status status = GCN_OK;
    for (uint64_t n = 0; n < all && status == GCN_OK; n++) {
        const uint64_t k = r->device->backwards ? all - 1 - n : n;
        const struct extent g = {(uint32_t)(k % row), (uint32_t)(k / row % r->groups.y),
                                 (uint32_t)(k / layer)};
        status = run_group(r, &g, fault);
    }
    return status;
}

enum gcn_status gcn_dispatch(const struct gcn_device *device,
                             const hsa_kernel_dispatch_packet_t *packet, uint64_t packet_address,
                             uint64_t queue_address, struct gcn_fault *fault)
{
    struct run r = {.device = device,
                    .packet = packet,
                    .packet_address = packet_address,
                    .queue_address = queue_address};
    *fault = (struct gcn_fault){.pc = packet->kernel_object};
    enum gcn_status status = prepare(&r, fault);
    if (status != GCN_OK)
        return status;
    const uint32_t waves = divide_up(r.size.x * r.size.y * r.size.z, GCN_LANES);
    r.waves = calloc(waves, sizeof *r.waves);
    r.lds = calloc(1, GCN_LDS_SIZE);
    status = r.waves && r.lds ? run_groups(&r, fault) : GCN_BAD_DISPATCH;
    free(r.waves);
    free(r.lds);
    return status;
}
