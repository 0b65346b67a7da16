// Allocations, and the GPU's page table. VRAM is one sparse file in memory, so that what the
// runtime maps for the CPU and what the GPU sees are the same pages. An address that is not mapped
// to the GPU faults it, even if the CPU can read it.
#include "emu.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <fcntl.h>

#define VRAM_FILE_SIZE (1ull << 44) // offsets are not used twice; what is freed is given back

struct mapping {
    uint64_t address, size;
    uint8_t *host;
    int protection;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct emu_object **objects;
static size_t object_count, object_capacity;
static struct mapping *mappings;
static size_t mapping_count, mapping_capacity;
static _Atomic uint64_t generation = 1; // changes with every mapping
static struct emu_block **blocks;
static size_t block_count, block_capacity;
static uint64_t vram_used, vram_next;
static int vram_fd = -1;

static bool reserve(void **rows, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    const size_t more = *capacity ? 2 * *capacity : 64;
    void *grown = realloc(*rows, more * size);
    if (!grown)
        return false;
    *rows = grown;
    *capacity = more;
    return true;
}

bool emu_memory_open(void)
{
    pthread_rwlock_wrlock(&lock);
    if (vram_fd < 0) {
        vram_fd = memfd_create("emulated-vram", MFD_CLOEXEC);
        if (vram_fd >= 0 && ftruncate(vram_fd, (off_t)VRAM_FILE_SIZE)) {
            close(vram_fd);
            vram_fd = -1;
        }
    }
    pthread_rwlock_unlock(&lock);
    return vram_fd >= 0;
}

int emu_vram_fd(void)
{
    return vram_fd;
}

// --- pieces of VRAM. All under the lock.
static struct emu_block *block_new(uint64_t size)
{
    const uint64_t huge = 2ull << 20, align = size >= huge ? huge : EMU_PAGE;
    const uint64_t offset = (vram_next + align - 1) / align * align;
    if (size > emu_settings()->vram_size - vram_used || offset + size > VRAM_FILE_SIZE ||
        !reserve((void **)&blocks, &block_capacity, block_count, sizeof(struct emu_block *)))
        return NULL;
    struct emu_block *block = malloc(sizeof *block);
    if (!block)
        return NULL;
    *block = (struct emu_block){.offset = offset, .size = size, .references = 1};
    blocks[block_count++] = block;
    vram_next = offset + size;
    vram_used += size;
    return block;
}

static void block_drop(struct emu_block *block)
{
    if (!block || --block->references)
        return;
    fallocate(vram_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)block->offset,
              (off_t)block->size);
    vram_used -= block->size;
    for (size_t k = 0; k < block_count; k++)
        if (blocks[k] == block)
            blocks[k] = blocks[--block_count];
    free(block);
}

struct emu_block *emu_block_hold(uint64_t offset)
{
    struct emu_block *found = NULL;
    pthread_rwlock_wrlock(&lock);
    for (size_t k = 0; k < block_count && !found; k++)
        if (blocks[k]->offset == offset)
            found = blocks[k];
    if (found)
        found->references++;
    pthread_rwlock_unlock(&lock);
    return found;
}

void emu_block_release(struct emu_block *block)
{
    pthread_rwlock_wrlock(&lock);
    block_drop(block);
    pthread_rwlock_unlock(&lock);
}

// --- objects. All under the lock. The one that address lies in; smaller ones (registered ranges)
// win.
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
    pthread_rwlock_rdlock(&lock);
    const struct emu_object *object = object_at(address);
    if (object)
        *copy = *object;
    pthread_rwlock_unlock(&lock);
    return object != NULL;
}

static struct emu_object *object_new(const struct emu_object *like)
{
    if (!reserve((void **)&objects, &object_capacity, object_count, sizeof(struct emu_object *)))
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

// --- the page table. All under the lock.
static void *mapping_remove(uint64_t address)
{
    for (size_t k = 0; k < mapping_count; k++)
        if (mappings[k].address == address) {
            void *host = mappings[k].host;
            mappings[k] = mappings[--mapping_count];
            atomic_fetch_add(&generation, 1);
            return host;
        }
    return NULL;
}

static bool mapping_add(uint64_t address, uint64_t size, void *host, int protection)
{
    mapping_remove(address);
    if (!reserve((void **)&mappings, &mapping_capacity, mapping_count, sizeof *mappings))
        return false;
    mappings[mapping_count++] = (struct mapping){address, size, host, protection};
    atomic_fetch_add(&generation, 1);
    return true;
}

bool emu_map(uint64_t address, uint64_t size, void *host, int protection)
{
    pthread_rwlock_wrlock(&lock);
    const bool ok = mapping_add(address, size, host, protection);
    pthread_rwlock_unlock(&lock);
    return ok;
}

void *emu_unmap(uint64_t address)
{
    pthread_rwlock_wrlock(&lock);
    void *host = mapping_remove(address);
    pthread_rwlock_unlock(&lock);
    return host;
}

// Each thread keeps the mappings it used last.
enum { CACHED = 8 };
static _Thread_local struct {
    uint64_t generation;
    unsigned next;
    struct mapping rows[CACHED];
} cache;

static const struct mapping *lookup(uint64_t address, size_t size)
{
    const uint64_t now = atomic_load(&generation);
    if (cache.generation != now) {
        memset(&cache, 0, sizeof cache);
        cache.generation = now;
    }
    for (unsigned k = 0; k < CACHED; k++) {
        const struct mapping *m = &cache.rows[k];
        if (address >= m->address && size <= m->size && address - m->address <= m->size - size)
            return m;
    }
    const struct mapping *found = NULL;
    pthread_rwlock_rdlock(&lock);
    for (size_t k = 0; k < mapping_count && !found; k++) {
        const struct mapping *m = &mappings[k];
        if (address >= m->address && size <= m->size && address - m->address <= m->size - size) {
            cache.rows[cache.next] = *m;
            found = &cache.rows[cache.next];
            cache.next = (cache.next + 1) % CACHED;
        }
    }
    pthread_rwlock_unlock(&lock);
    return found;
}

void *gpu_at(uint64_t address, size_t size, bool write)
{
    const struct mapping *m = lookup(address, size);
    if (!m || (write && !(m->protection & PROT_WRITE)))
        return NULL;
    return m->host + (address - m->address);
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
    return node == EMU_GPU_NODE && flags.ui32.NonPaged && !flags.ui32.Scratch &&
           !is_reservation(flags);
}

static void *place_anywhere(uint64_t size, uint64_t align)
{
    uint8_t *all =
        mmap(NULL, size + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    uint8_t *at = (uint8_t *)(((uintptr_t)all + align - 1) / align * align);
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
        return mmap(at, size, readable, MAP_SHARED | MAP_FIXED, vram_fd, (off_t)block->offset) ==
               at;
    return mmap(at, size, readable, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                0) == at;
}

static bool address_refused(HsaMemFlags flags)
{
    const enum emu_address how = emu_settings()->address;
    if (!is_reservation(flags))
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
        if (emu_allocation_fails() || !(like.block = block_new(size)))
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
        block_drop(like.block);
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
    if (!address || size == 0 || size % EMU_PAGE || size > VRAM_FILE_SIZE ||
        (flags.ui32.FixedAddress && !*address))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    pthread_rwlock_wrlock(&lock);
    const HSAKMT_STATUS status =
        allocate(node, size, align > EMU_PAGE ? align : EMU_PAGE, flags, address);
    pthread_rwlock_unlock(&lock);
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
    pthread_rwlock_wrlock(&lock);
    struct emu_object *object = object_at((uint64_t)(uintptr_t)address);
    if (object && object->address == (uint64_t)(uintptr_t)address && object->kind != EMU_USER) {
        mapping_remove(object->address);
        munmap(address, object->size);
        block_drop(object->block);
        object_remove(object);
        status = HSAKMT_STATUS_SUCCESS;
    }
    pthread_rwlock_unlock(&lock);
    emu_log("free %p size %#lx: %d", address, (unsigned long)size, status);
    return status;
}

EXPORT HSAKMT_STATUS hsaKmtAvailableMemory(HSAuint32 node, HSAuint64 *bytes);
EXPORT HSAKMT_STATUS hsaKmtAvailableMemory(HSAuint32 node, HSAuint64 *bytes)
{
    if (node != EMU_GPU_NODE || !bytes)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    pthread_rwlock_rdlock(&lock);
    *bytes = emu_settings()->vram_size - vram_used;
    pthread_rwlock_unlock(&lock);
    return HSAKMT_STATUS_SUCCESS;
}

// The program's own memory, registered so that it may be mapped to the GPU.
EXPORT HSAKMT_STATUS hsaKmtRegisterMemoryWithFlags(void *address, HSAuint64 size, HsaMemFlags flags)
{
    const struct emu_object like = {
        .kind = EMU_USER, .address = (uint64_t)(uintptr_t)address, .size = size, .flags = flags};
    if (!address || !size)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    pthread_rwlock_wrlock(&lock);
    const bool ok = object_at(like.address) || object_new(&like);
    pthread_rwlock_unlock(&lock);
    return ok ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NO_MEMORY;
}

EXPORT HSAKMT_STATUS hsaKmtRegisterMemory(void *address, HSAuint64 size)
{
    return hsaKmtRegisterMemoryWithFlags(address, size, (HsaMemFlags){.Value = 0});
}

EXPORT HSAKMT_STATUS hsaKmtDeregisterMemory(void *address)
{
    pthread_rwlock_wrlock(&lock);
    struct emu_object *object = object_at((uint64_t)(uintptr_t)address);
    const bool found = object != NULL;
    if (object && object->kind == EMU_USER) {
        mapping_remove(object->address);
        object_remove(object);
    }
    pthread_rwlock_unlock(&lock);
    return found ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
}

static HSAKMT_STATUS set_mapped(void *address, bool mapped, HSAuint64 *alternative)
{
    pthread_rwlock_wrlock(&lock);
    struct emu_object *o = object_at((uint64_t)(uintptr_t)address);
    const bool has_pages = o && (o->kind == EMU_ALLOCATED || o->kind == EMU_USER);
    bool ok = o != NULL; // handles and reservations are mapped by vmem.c
    if (has_pages && mapped)
        ok =
            mapping_add(o->address, o->size, (void *)(uintptr_t)o->address, PROT_READ | PROT_WRITE);
    else if (has_pages)
        mapping_remove(o->address);
    if (ok) {
        o->mapped = mapped;
        o->nodes[0] = EMU_GPU_NODE;
    }
    pthread_rwlock_unlock(&lock);
    if (alternative)
        *alternative = (uint64_t)(uintptr_t)address;
    return ok ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

EXPORT HSAKMT_STATUS hsaKmtMapMemoryToGPU(void *address, HSAuint64 size, HSAuint64 *alternative)
{
    (void)size;
    return set_mapped(address, true, alternative);
}

EXPORT HSAKMT_STATUS hsaKmtMapMemoryToGPUNodes(void *address, HSAuint64 size,
                                               HSAuint64 *alternative, HsaMemMapFlags flags,
                                               HSAuint64 count, HSAuint32 *nodes)
{
    (void)size, (void)flags;
    bool to_gpu = false;
    for (HSAuint64 k = 0; k < count; k++)
        to_gpu |= nodes[k] == EMU_GPU_NODE;
    return set_mapped(address, to_gpu, alternative);
}

EXPORT HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(void *address)
{
    return set_mapped(address, false, NULL);
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
    pthread_rwlock_rdlock(&lock);
    const struct emu_object *o = object_at((uint64_t)(uintptr_t)pointer);
    if (o) {
        info->Type = pointer_type(o->kind);
        info->Node = o->node;
        info->MemFlags = o->flags;
        info->GPUAddress = o->address;
        info->CPUAddress = o->kind == EMU_RESERVED ? NULL : (void *)(uintptr_t)o->address;
        info->SizeInBytes = o->size;
        info->UserData = o->user_data;
        info->NMappedNodes = o->mapped;
        info->MappedNodes = o->nodes;
    }
    pthread_rwlock_unlock(&lock);
    return o ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

EXPORT HSAKMT_STATUS hsaKmtSetMemoryUserData(const void *pointer, void *user_data)
{
    pthread_rwlock_wrlock(&lock);
    struct emu_object *o = object_at((uint64_t)(uintptr_t)pointer);
    if (o)
        o->user_data = user_data;
    pthread_rwlock_unlock(&lock);
    return o ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}
