#include "backends/roofs/roofs_impl.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/env.h"
#include "base/memory.h"

#define CACHE_DIR "/sys/devices/system/cpu/cpu0/cache/index%d/"
enum { INDEXES = 16 };

static bool read_cache_word(int index, const char *file, char out[256])
{
    char path[PATH_MAX];
    FILE *f = fopen(env_path(path, sizeof path, CACHE_DIR "%s", index, file), "re");
    *out = '\0';
    if (f && fgets(out, 256, f))
        out[strcspn(out, "\n")] = '\0';
    if (f)
        fclose(f);
    return *out != '\0';
}

/* Reads "512K", "32M". */
static size_t read_cache_size(int index)
{
    char text[256], *end;
    if (!read_cache_word(index, "size", text))
        return 0;
    size_t v = strtoul(text, &end, 10);
    switch (*end) {
    case 'K':
        return v << 10;
    case 'M':
        return v << 20;
    case 'G':
        return v << 30;
    default:
        return v;
    }
}

/* How many CPUs share a cache; 1 if the list of them cannot be read. */
static uint32_t count_sharing_cpus(const char *list)
{
    bool set[CPU_LIST_MOST];
    const int n = cpu_list_parse(list, set);
    return n > 0 ? (uint32_t)n : 1;
}

static void add_cache(struct memory_levels *out, int index)
{
    char text[256];
    if (out->n == LEVELS_MAX - 1)
        return;
    struct memory_level l = {.bytes = read_cache_size(index), .sharing = 1};
    if (!read_cache_word(index, "type", text) || strcmp(text, "Instruction") == 0 || l.bytes == 0)
        return;
    if (!read_cache_word(index, "level", text))
        return;
    snprintf(l.name, sizeof l.name, "L%.5s", text);
    if (read_cache_word(index, "shared_cpu_list", text))
        l.sharing = count_sharing_cpus(text);
    out->level[out->n++] = l;
}

/* Bytes that are available without swapping, including those of the page cache. */
static size_t free_memory(void)
{
    uint64_t left = memory_free();
    if (left <= SIZE_MAX / 2)
        return (size_t)left;
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : (size_t)256 << 20;
}

void levels_read(struct memory_levels *out)
{
    out->n = 0;
    for (int i = 0; i < INDEXES; i++)
        add_cache(out, i);
    if (out->n == 0)
        out->level[out->n++] = (struct memory_level){.name = "L1", .bytes = 32768, .sharing = 1};
    const struct memory_level *cache = &out->level[out->n - 1];
    size_t most = free_memory() / 8, want = 4 * cache->bytes, each = want / cache->sharing;
    want = want < (size_t)64 << 20 ? (size_t)64 << 20 : want;
    out->level[out->n++] = (struct memory_level){.name = "DRAM",
                                                 .bytes = want < most ? want : most,
                                                 .sharing = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
                                                 .each = each,
                                                 .most = most};
}

static size_t smaller_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t level_share(const struct memory_level *l, uint32_t threads)
{
    if (strcmp(l->name, "DRAM") == 0) {
        size_t share =
            l->bytes / threads; /* if there are several last caches, each has its own part */
        return smaller_size(share > l->each ? share : l->each, l->most / threads);
    }
    size_t bytes = strcmp(l->name, "L1") == 0 ? l->bytes / 4 * 3 : l->bytes / 2;
    return bytes / smaller_size(threads, l->sharing);
}

size_t levels_latency_most(const struct memory_levels *l)
{
    return l->level[l->n - 1].bytes;
}
