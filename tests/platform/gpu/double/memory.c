// Allocations, and the GPU's page table. VRAM is one sparse file in memory, so that what the
// runtime maps for the CPU and what the GPU sees are the same pages. An address that is not mapped
// to the GPU faults it, even if the CPU can read it.
#include "emu.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct emu_object **objects;
static size_t object_count, object_capacity;

// --- objects; call these functions under the lock. The object that contains the address; of
// several the smallest (a registered range).
static struct emu_object *object_at(uint64_t address)
{
    struct emu_object *found = NULL;
    for (size_t k = 0; k < object_count; k++)
        if (address >= objects[k]->address && address - objects[k]->address < objects[k]->size &&
            (!found || objects[k]->size < found->size))
            found = objects[k];
    return found;
}

bool emu_object_at(uint64_t address, struct emu_object *copy)
{
    pthread_mutex_lock(&lock);
    const struct emu_object *object = object_at(address);
    if (object)
        *copy = *object;
    pthread_mutex_unlock(&lock);
    return object != NULL;
}

static struct emu_object *object_new(const struct emu_object *like)
{
    if (!emu_reserve((void **)&objects, &object_capacity, object_count,
                     sizeof(struct emu_object *)))
        return NULL;
    struct emu_object *object = malloc(sizeof *object);
    if (object) {
        *object = *like;
        objects[object_count++] = object;
    }
    return object;
}

static void object_remove(const struct emu_object *object)
{
    for (size_t k = 0; k < object_count; k++)
        if (objects[k] == object) {
            free(objects[k]);
            objects[k] = objects[--object_count];
            return;
        }
}

// --- what the thunk offers
static bool is_reservation(HsaMemFlags flags)
{
#if EMU_HAS_VMEM
    return flags.ui32.OnlyAddress;
#else
    (void)flags;
    return false;
#endif
}

static bool is_handle(HsaMemFlags flags)
{
#if EMU_HAS_VMEM
    return flags.ui32.NoAddress;
#else
    (void)flags;
    return false;
#endif
}

static bool is_vram(HSAuint32 node, HsaMemFlags flags)
{
#if EMU_HAS_VMEM
    if (flags.ui32.GTTAccess)
        return false;
#endif
    return emu_is_gpu(node) && flags.ui32.NonPaged && !flags.ui32.Scratch && !is_reservation(flags);
}

static void *place_anywhere(uint64_t size, uint64_t align)
{
    uint8_t *all =
        mmap(NULL, size + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    uint8_t *at = host_pointer(((uintptr_t)all + align - 1) / align * align);
    if (at > all)
        munmap(all, (size_t)(at - all));
    if (all + align > at)
        munmap(at + size, (size_t)(all + align - at));
    return at;
}

static void *place_at(void *address, uint64_t size)
{
    void *at = mmap(address, size, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    if (at != address) { // a kernel that does not know the flag
        munmap(at, size);
        return NULL;
    }
    return at;
}

static bool fill(void *at, uint64_t size, const struct emu_block *block)
{
    const int readable = PROT_READ | PROT_WRITE;
    if (block)
        return mmap(at, size, readable, MAP_SHARED | MAP_FIXED, emu_vram_fd(),
                    (off_t)block->offset) == at;
    return mmap(at, size, readable, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                0) == at;
}

static bool address_refused(HsaMemFlags flags)
{
    static _Atomic uint64_t reservations;
    const enum emu_address how = emu_settings()->address;
    if (!is_reservation(flags) || !emu_is_nth(&emu_settings()->address_nth, &reservations))
        return false;
    return how == EMU_ADDRESS_REFUSE || (how == EMU_ADDRESS_RELOCATE && flags.ui32.FixedAddress);
}

static HSAKMT_STATUS allocate(HSAuint32 node, uint64_t size, uint64_t align, HsaMemFlags flags,
                              void **address)
{
    struct emu_object like = {.kind = is_reservation(flags) ? EMU_RESERVED
                                      : is_handle(flags)    ? EMU_HANDLE
                                                            : EMU_ALLOCATED,
                              .size = size,
                              .node = node,
                              .flags = flags};
    if (is_vram(node, flags)) {
        if (emu_allocation_fails(like.kind == EMU_HANDLE, flags.ui32.ExecuteAccess) ||
            !(like.block = emu_block_new(size, node)))
            return HSAKMT_STATUS_NO_MEMORY;
        if (size >= (2u << 20) && align < (2u << 20))
            align = 2u << 20;
    }
    void *at = NULL;
    if (!address_refused(flags))
        at = flags.ui32.FixedAddress ? place_at(*address, size) : place_anywhere(size, align);
    const bool readable = like.kind == EMU_ALLOCATED;
    if (at && readable && !fill(at, size, like.block)) {
        munmap(at, size);
        at = NULL;
    }
    like.address = (uint64_t)(uintptr_t)at;
    if (!at || !object_new(&like)) {
        if (at)
            munmap(at, size);
        emu_block_release(like.block);
        return HSAKMT_STATUS_NO_MEMORY;
    }
    *address = at;
    return HSAKMT_STATUS_SUCCESS;
}

EXPORT HSAKMT_STATUS hsaKmtAllocMemoryAlign(HSAuint32 node, HSAuint64 size, HSAuint64 align,
                                            HsaMemFlags flags, void **address);
EXPORT HSAKMT_STATUS hsaKmtAllocMemoryAlign(HSAuint32 node, HSAuint64 size, HSAuint64 align,
                                            HsaMemFlags flags, void **address)
{
    if (!address || size == 0 || size % EMU_PAGE || size > EMU_VRAM_FILE_SIZE ||
        (flags.ui32.FixedAddress && !*address))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    const HSAKMT_STATUS status =
        allocate(node, size, align > EMU_PAGE ? align : EMU_PAGE, flags, address);
    pthread_mutex_unlock(&lock);
    emu_log("allocate node %u size %#lx flags %#x: %s %p", node, (unsigned long)size, flags.Value,
            status == HSAKMT_STATUS_SUCCESS ? "at" : "failed", *address);
    return status;
}

EXPORT HSAKMT_STATUS hsaKmtAllocMemory(HSAuint32 node, HSAuint64 size, HsaMemFlags flags,
                                       void **address)
{
    return hsaKmtAllocMemoryAlign(node, size, 0, flags, address);
}

EXPORT HSAKMT_STATUS hsaKmtFreeMemory(void *address, HSAuint64 size)
{
    HSAKMT_STATUS status = HSAKMT_STATUS_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    struct emu_object *object = object_at((uint64_t)(uintptr_t)address);
    if (object && object->address == (uint64_t)(uintptr_t)address && object->kind != EMU_USER) {
        emu_unmap(object->address, EMU_ALL_GPUS);
        munmap(address, object->size);
        emu_block_release(object->block);
        object_remove(object);
        status = HSAKMT_STATUS_SUCCESS;
    }
    pthread_mutex_unlock(&lock);
    emu_log("free %p size %#lx: %d", address, (unsigned long)size, status);
    return status;
}

EXPORT HSAKMT_STATUS hsaKmtAvailableMemory(HSAuint32 node, HSAuint64 *bytes);
EXPORT HSAKMT_STATUS hsaKmtAvailableMemory(HSAuint32 node, HSAuint64 *bytes)
{
    if (!emu_is_gpu(node) || !bytes)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    *bytes = emu_vram_free(node);
    return HSAKMT_STATUS_SUCCESS;
}

// The program's own memory, registered so that it may be mapped to the GPU.
EXPORT HSAKMT_STATUS hsaKmtRegisterMemoryWithFlags(void *address, HSAuint64 size, HsaMemFlags flags)
{
    const struct emu_object like = {
        .kind = EMU_USER, .address = (uint64_t)(uintptr_t)address, .size = size, .flags = flags};
    if (!address || !size)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    const bool ok = object_at(like.address) || object_new(&like);
    pthread_mutex_unlock(&lock);
    return ok ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NO_MEMORY;
}

EXPORT HSAKMT_STATUS hsaKmtRegisterMemory(void *address, HSAuint64 size)
{
    return hsaKmtRegisterMemoryWithFlags(address, size, (HsaMemFlags){.Value = 0});
}

EXPORT HSAKMT_STATUS hsaKmtDeregisterMemory(void *address)
{
    pthread_mutex_lock(&lock);
    struct emu_object *object = object_at((uint64_t)(uintptr_t)address);
    const bool found = object != NULL;
    if (object && object->kind == EMU_USER) {
        emu_unmap(object->address, EMU_ALL_GPUS);
        object_remove(object);
    }
    pthread_mutex_unlock(&lock);
    return found ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
}

// gpus: a bit for each node that it is mapped to from now on; no other.
static HSAKMT_STATUS set_mapped(void *address, uint32_t gpus, HSAuint64 *alternative)
{
    pthread_mutex_lock(&lock);
    struct emu_object *o = object_at((uint64_t)(uintptr_t)address);
    const bool has_pages = o && (o->kind == EMU_ALLOCATED || o->kind == EMU_USER);
    bool ok = o != NULL; // handles and reservations are mapped by vmem.c
    if (has_pages)
        emu_unmap(o->address, EMU_ALL_GPUS);
    if (has_pages && gpus)
        ok = emu_map(o->address, o->size, host_pointer(o->address), PROT_READ | PROT_WRITE, gpus);
    if (ok) {
        o->node_count = 0;
        for (uint32_t node = EMU_FIRST_GPU; emu_is_gpu(node); node++)
            if (gpus >> node & 1)
                o->nodes[o->node_count++] = node;
    }
    pthread_mutex_unlock(&lock);
    if (alternative)
        *alternative = (uint64_t)(uintptr_t)address;
    return ok ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

EXPORT HSAKMT_STATUS hsaKmtMapMemoryToGPU(void *address, HSAuint64 size, HSAuint64 *alternative)
{
    (void)size;
    return set_mapped(address, EMU_ALL_GPUS, alternative);
}

EXPORT HSAKMT_STATUS hsaKmtMapMemoryToGPUNodes(void *address, HSAuint64 size,
                                               HSAuint64 *alternative, HsaMemMapFlags flags,
                                               HSAuint64 count, HSAuint32 *nodes)
{
    (void)size, (void)flags;
    uint32_t gpus = 0;
    for (HSAuint64 k = 0; k < count; k++)
        if (emu_is_gpu(nodes[k]))
            gpus |= 1u << nodes[k];
    return set_mapped(address, gpus, alternative);
}

EXPORT HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(void *address)
{
    return set_mapped(address, 0, NULL);
}

static HSA_POINTER_TYPE pointer_type(enum emu_kind kind)
{
    if (kind == EMU_USER)
        return HSA_POINTER_REGISTERED_USER;
#if EMU_HAS_VMEM
    if (kind == EMU_RESERVED)
        return HSA_POINTER_RESERVED_ADDR;
#endif
    return HSA_POINTER_ALLOCATED;
}

EXPORT HSAKMT_STATUS hsaKmtQueryPointerInfo(const void *pointer, HsaPointerInfo *info)
{
    memset(info, 0, sizeof *info);
    pthread_mutex_lock(&lock);
    const struct emu_object *o = object_at((uint64_t)(uintptr_t)pointer);
    if (o) {
        info->Type = pointer_type(o->kind);
        info->Node = o->node;
        info->MemFlags = o->flags;
        info->GPUAddress = o->address;
        info->CPUAddress = o->kind == EMU_RESERVED ? NULL : host_pointer(o->address);
        info->SizeInBytes = o->size;
        info->UserData = o->user_data;
        info->NMappedNodes = o->node_count;
        info->MappedNodes = o->nodes;
    }
    pthread_mutex_unlock(&lock);
    return o ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

EXPORT HSAKMT_STATUS hsaKmtSetMemoryUserData(const void *pointer, void *user_data)
{
    pthread_mutex_lock(&lock);
    struct emu_object *o = object_at((uint64_t)(uintptr_t)pointer);
    if (o)
        o->user_data = user_data;
    pthread_mutex_unlock(&lock);
    return o ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

unsigned emu_memory_left(FILE *to)
{
    static const char *const NAMES[] = {"memory", "registered memory", "reservation", "handle"};
    unsigned n = 0;
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < object_count; k++, n++)
        fprintf(to, "%s%s at %#lx size %#lx\n", objects[k]->block ? "device " : "",
                NAMES[objects[k]->kind], (unsigned long)objects[k]->address,
                (unsigned long)objects[k]->size);
    pthread_mutex_unlock(&lock);
    return n;
}
