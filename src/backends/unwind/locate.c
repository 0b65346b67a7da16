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

const char *locate_short_name(const struct map_file *f)
{
    const char *slash = strrchr(f->path, '/');
    return slash && slash[1] ? slash + 1 : f->path;
}
