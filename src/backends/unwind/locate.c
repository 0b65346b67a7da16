#include "backends/unwind/unwind_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/env.h"

/* Whether path leads to that file. Only inodes are compared: for overlay and btrfs, stat and
 * mappings have different device numbers. */
static bool is_it(const char *path, const struct map_file *f)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_ino == f->inode;
}

static bool is_regular_file_at(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool locate_file(const struct map_file *f, pid_t pid, const struct process_map *map, char *out,
                 size_t size)
{
    if (!f->memfd && !f->deleted) {
        snprintf(out, size, "%s", f->path);
        if (is_it(out, f))
            return true;
        env_path(out, size, "/proc/%d/root%s", (int)pid, f->path);
        if (is_it(out, f))
            return true;
    }
    env_path(out, size, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, map->start, map->end);
    if (is_regular_file_at(out))
        return true;
    /* A file system without comparable numbers (device 0:x), and the process is gone. */
    snprintf(out, size, "%s", f->path);
    return !f->memfd && !f->deleted && f->major == 0 && is_regular_file_at(out);
}

/* Files in perf's cache: perf-buildid-cache(1). Older ones are the file itself, newer ones a folder
 * with "elf" in it. */
static void write_cached_path(const struct map_file *f, const char *end, char *out, size_t size)
{
    const char *home = env_get("HOME");
    char hex[2 * sizeof f->build_id + 1];
    for (size_t i = 0; i < f->nbuild_id; i++)
        snprintf(hex + 2 * i, 3, "%02x", f->build_id[i]);
    snprintf(out, size, "%s/.debug/.build-id/%.2s/%s%s", home ? home : "", hex, hex + 2, end);
}

bool locate_recorded(const struct map_file *f, size_t i, char *out, size_t size)
{
    static const char *const ends[] = {"/elf", ""};
    if (i == 0) {
        snprintf(out, size, "%s", f->path);
        return f->nbuild_id || (!f->deleted && !f->memfd);
    }
    if (f->nbuild_id < 2 || i > sizeof ends / sizeof *ends)
        return false;
    write_cached_path(f, ends[i - 1], out, size);
    return true;
}

bool locate_is_recorded(const struct map_file *f, const char *path, const void *id, size_t n)
{
    if (f->nbuild_id)
        return n == f->nbuild_id && memcmp(id, f->build_id, n) == 0;
    return f->inode == 0 || is_it(path, f);
}

const char *locate_short_name(const struct map_file *f)
{
    const char *slash = strrchr(f->path, '/');
    return slash && slash[1] ? slash + 1 : f->path;
}
