// Virtual memory: VRAM without an address is exported as a file descriptor, imported as a buffer
// object of libdrm_amdgpu, and mapped at an address for the GPU; the runtime maps it for the CPU
// itself, from the "render node".
#include "emu.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// What the descriptor holds: which piece of VRAM it stands for.
struct token {
    char magic[8];
    uint64_t offset, size;
};
static const char MAGIC[8] = "EMUVRAM";

HSAKMT_STATUS hsaKmtExportDMABufHandle(void *address, HSAuint64 size, int *fd, HSAuint64 *offset);
EXPORT HSAKMT_STATUS hsaKmtExportDMABufHandle(void *address, HSAuint64 size, int *fd,
                                              HSAuint64 *offset)
{
    static _Atomic uint64_t exports;
    struct emu_object object;
    (void)size;
    if (emu_is_nth(&emu_settings()->fail_map, &exports))
        return HSAKMT_STATUS_OUT_OF_RESOURCES;
    if (!emu_object_at((uint64_t)(uintptr_t)address, &object) || !object.block)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    struct token token = {.offset = object.block->offset, .size = object.size};
    memcpy(token.magic, MAGIC, sizeof token.magic);
    const int file = memfd_create("emulated-dmabuf", MFD_CLOEXEC);
    if (file < 0 || write(file, &token, sizeof token) != sizeof token) {
        if (file >= 0)
            close(file);
        return HSAKMT_STATUS_ERROR;
    }
    *fd = file;
    *offset = (uint64_t)(uintptr_t)address - object.address;
    return HSAKMT_STATUS_SUCCESS;
}

// --- libdrm_amdgpu. Source of numbers and structures: libdrm's amdgpu.h and amdgpu_drm.h.
struct bo {
    struct emu_block *block;
    uint64_t size;
    uint32_t gpu; // a bit: whose page table it goes to
};
struct import_result {
    struct bo *bo;
    uint64_t size;
};
enum { VA_OP_MAP = 1, VA_OP_UNMAP = 2, VA_OP_REPLACE = 4, VM_READABLE = 2, VM_WRITEABLE = 4 };
enum { MOST_BOS = 65536, GEM_MMAP = 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct bo *bos[MOST_BOS]; // by handle; 0 is none

EXPORT int amdgpu_bo_import(void *device, int type, uint32_t handle, struct import_result *result);
EXPORT int amdgpu_bo_import(void *device, int type, uint32_t handle, struct import_result *result)
{
    struct token token;
    (void)type;
    if (pread((int)handle, &token, sizeof token, 0) != sizeof token ||
        memcmp(token.magic, MAGIC, sizeof MAGIC) != 0)
        return -EINVAL;
    struct bo *bo = malloc(sizeof *bo);
    if (!bo)
        return -ENOMEM;
    *bo = (struct bo){.block = emu_block_hold(token.offset),
                      .size = token.size,
                      .gpu = 1u << *(const HSAuint32 *)device};
    pthread_mutex_lock(&lock);
    uint32_t k = 1;
    while (k < MOST_BOS && bos[k])
        k++;
    const bool ok = bo->block && k < MOST_BOS;
    if (ok)
        bos[k] = bo;
    pthread_mutex_unlock(&lock);
    if (!ok) {
        if (bo->block)
            emu_block_release(bo->block);
        free(bo);
        return -EINVAL;
    }
    *result = (struct import_result){bo, bo->size};
    return 0;
}

static uint32_t handle_of(const struct bo *bo)
{
    uint32_t k = 1;
    while (k < MOST_BOS && bos[k] != bo)
        k++;
    return k < MOST_BOS ? k : 0;
}

EXPORT int amdgpu_bo_export(struct bo *bo, int type, uint32_t *handle);
EXPORT int amdgpu_bo_export(struct bo *bo, int type, uint32_t *handle)
{
    (void)type;
    pthread_mutex_lock(&lock);
    *handle = handle_of(bo);
    pthread_mutex_unlock(&lock);
    return *handle ? 0 : -EINVAL;
}

EXPORT int amdgpu_bo_free(struct bo *bo);
EXPORT int amdgpu_bo_free(struct bo *bo)
{
    pthread_mutex_lock(&lock);
    const uint32_t handle = handle_of(bo);
    bos[handle] = NULL;
    pthread_mutex_unlock(&lock);
    if (!handle)
        return -EINVAL;
    emu_block_release(bo->block);
    free(bo);
    return 0;
}

EXPORT int amdgpu_bo_cpu_map(struct bo *bo, void **address);
EXPORT int amdgpu_bo_cpu_map(struct bo *bo, void **address)
{
    *address = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, emu_vram_fd(),
                    (off_t)bo->block->offset);
    return *address == MAP_FAILED ? -ENOMEM : 0;
}

// What is mapped where: the GPU sees it through a mapping of its own, so that the CPU's view of the
// address stays.
struct view {
    uint64_t address, size;
    uint32_t gpu;
    void *host;
    struct emu_block *block;
    struct view *next;
};
static struct view *views;

static int view_remove(uint64_t address, uint32_t gpu)
{
    for (struct view **at = &views; *at; at = &(*at)->next) {
        struct view *view = *at;
        if (view->address != address || view->gpu != gpu)
            continue;
        *at = view->next;
        emu_unmap(address, gpu);
        munmap(view->host, view->size);
        emu_block_release(view->block);
        free(view);
        return 0;
    }
    return -EINVAL;
}

static int view_add(const struct bo *bo, uint64_t offset, uint64_t size, uint64_t address,
                    uint64_t flags)
{
    if (offset % EMU_PAGE || offset > bo->size || size > bo->size - offset)
        return -EINVAL;
    struct view *view = malloc(sizeof *view);
    if (!view)
        return -ENOMEM;
    const int protection =
        (flags & VM_READABLE ? PROT_READ : 0) | (flags & VM_WRITEABLE ? PROT_WRITE : 0);
    *view = (struct view){.address = address, .size = size, .gpu = bo->gpu, .next = views};
    view->host = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, emu_vram_fd(),
                      (off_t)(bo->block->offset + offset));
    if (view->host == MAP_FAILED || !emu_map(address, size, view->host, protection, bo->gpu)) {
        if (view->host != MAP_FAILED)
            munmap(view->host, size);
        free(view);
        return -ENOMEM;
    }
    view->block = emu_block_hold(bo->block->offset);
    views = view;
    return 0;
}

EXPORT int amdgpu_bo_va_op(struct bo *bo, uint64_t offset, uint64_t size, uint64_t address,
                           uint64_t flags, uint32_t op);
EXPORT int amdgpu_bo_va_op(struct bo *bo, uint64_t offset, uint64_t size, uint64_t address,
                           uint64_t flags, uint32_t op)
{
    static _Atomic uint64_t maps;
    int status = -EINVAL;
    if (op != VA_OP_UNMAP && emu_is_nth(&emu_settings()->fail_access, &maps))
        return -ENOMEM;
    pthread_mutex_lock(&lock);
    if (op == VA_OP_UNMAP)
        status = view_remove(address, bo->gpu);
    if (op == VA_OP_REPLACE || op == VA_OP_MAP) {
        view_remove(address, bo->gpu);
        status = view_add(bo, offset, size, address, flags);
    }
    pthread_mutex_unlock(&lock);
    emu_log("va_op %u at %#lx size %#lx flags %#lx: %d", op, (unsigned long)address,
            (unsigned long)size, (unsigned long)flags, status);
    return status;
}

unsigned emu_views_left(FILE *to)
{
    unsigned n = 0;
    pthread_mutex_lock(&lock);
    for (const struct view *view = views; view; view = view->next, n++)
        fprintf(to, "mapping at %#lx size %#lx\n", (unsigned long)view->address,
                (unsigned long)view->size);
    for (unsigned k = 1; k < MOST_BOS; k++)
        if (bos[k]) {
            fprintf(to, "imported handle of size %#lx\n", (unsigned long)bos[k]->size);
            n++;
        }
    pthread_mutex_unlock(&lock);
    return n;
}

EXPORT int amdgpu_device_get_fd(void *device);
EXPORT int amdgpu_device_get_fd(void *device)
{
    (void)device;
    return emu_vram_fd();
}

EXPORT int drmCommandWriteRead(int fd, unsigned long command, void *data, unsigned long size);
EXPORT int drmCommandWriteRead(int fd, unsigned long command, void *data, unsigned long size)
{
    uint32_t handle;
    (void)fd;
    if (command != GEM_MMAP || size < sizeof(uint64_t))
        return -EINVAL;
    memcpy(&handle, data, sizeof handle);
    pthread_mutex_lock(&lock);
    const struct bo *bo = handle < MOST_BOS ? bos[handle] : NULL;
    const uint64_t offset = bo ? bo->block->offset : 0; // of the "render node"
    pthread_mutex_unlock(&lock);
    if (!bo)
        return -EINVAL;
    memcpy(data, &offset, sizeof offset);
    return 0;
}

EXPORT int amdgpu_query_gpu_info(void *device, void *info);
EXPORT int amdgpu_query_gpu_info(void *device, void *info)
{
    enum {
        BYTES = 128,
        COUNTER_KHZ = 18
    }; // struct amdgpu_gpu_info: asic_id first, gpu_counter_freq there
    uint32_t words[BYTES / 4] = {0x74a1};
    (void)device;
    words[COUNTER_KHZ] = 100000;
    memcpy(info, words, sizeof words);
    return 0;
}

#if EMU_HAS_VMEM
EXPORT HSAKMT_STATUS hsaKmtGetAMDGPUDeviceHandle(HSAuint32 node, HsaAMDGPUDeviceHandle *handle)
{
    static HSAuint32 devices[EMU_FIRST_GPU + EMU_MOST_GPUS];
    if (!emu_is_gpu(node))
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    devices[node] = node;
    *handle = &devices[node];
    return HSAKMT_STATUS_SUCCESS;
}
#endif
