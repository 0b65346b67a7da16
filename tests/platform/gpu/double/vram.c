// VRAM: one sparse file in memory, so that what the runtime maps for the CPU and what the GPU sees
// are the same pages.
#include "emu.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct emu_block **blocks;
static size_t block_count, block_capacity;
static uint64_t vram_used[EMU_FIRST_GPU + EMU_MOST_GPUS], vram_next; // by node
static int vram_fd = -1;

bool emu_reserve(void **rows, size_t *capacity, size_t count, size_t size)
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
    pthread_mutex_lock(&lock);
    if (vram_fd < 0) {
        vram_fd = memfd_create("emulated-vram", MFD_CLOEXEC);
        if (vram_fd >= 0 && ftruncate(vram_fd, (off_t)EMU_VRAM_FILE_SIZE)) {
            close(vram_fd);
            vram_fd = -1;
        }
    }
    pthread_mutex_unlock(&lock);
    return vram_fd >= 0;
}

int emu_vram_fd(void)
{
    return vram_fd;
}

uint64_t emu_vram_free(uint32_t node)
{
    pthread_mutex_lock(&lock);
    const uint64_t bytes = emu_settings()->vram_size - vram_used[node];
    pthread_mutex_unlock(&lock);
    return bytes;
}

static struct emu_block *block_new(uint64_t size, uint32_t node)
{
    const uint64_t huge = 2ull << 20, align = size >= huge ? huge : EMU_PAGE;
    const uint64_t offset = (vram_next + align - 1) / align * align;
    if (size > emu_settings()->vram_size - vram_used[node] || offset + size > EMU_VRAM_FILE_SIZE ||
        !emu_reserve((void **)&blocks, &block_capacity, block_count, sizeof(struct emu_block *)))
        return NULL;
    struct emu_block *block = malloc(sizeof *block);
    if (!block)
        return NULL;
    *block = (struct emu_block){.offset = offset, .size = size, .node = node, .references = 1};
    blocks[block_count++] = block;
    vram_next = offset + size;
    vram_used[node] += size;
    return block;
}

static void block_drop(struct emu_block *block)
{
    if (!block || --block->references)
        return;
    fallocate(vram_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)block->offset,
              (off_t)block->size);
    vram_used[block->node] -= block->size;
    for (size_t k = 0; k < block_count; k++)
        if (blocks[k] == block)
            blocks[k] = blocks[--block_count];
    free(block);
}

struct emu_block *emu_block_new(uint64_t size, uint32_t node)
{
    pthread_mutex_lock(&lock);
    struct emu_block *block = block_new(size, node);
    pthread_mutex_unlock(&lock);
    return block;
}

struct emu_block *emu_block_hold(uint64_t offset)
{
    struct emu_block *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < block_count && !found; k++)
        if (blocks[k]->offset == offset)
            found = blocks[k];
    if (found)
        found->references++;
    pthread_mutex_unlock(&lock);
    return found;
}

void emu_block_release(struct emu_block *block)
{
    pthread_mutex_lock(&lock);
    block_drop(block);
    pthread_mutex_unlock(&lock);
}
