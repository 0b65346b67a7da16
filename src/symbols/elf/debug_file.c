#include "symbols/elf/debug_file.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/env.h"
#include "base/owner.h"

enum { UNPACKED_MAX = 64 << 20, ID_BYTES_MAX = 64, CRC_CHUNK = 1 << 16 };

Elf *elf_open(int fd)
{
    struct stat state;
    const bool safe = fstat(fd, &state) == 0 && !owner_refuses(&state, geteuid());
    return elf_begin(fd, safe ? ELF_C_READ_MMAP : ELF_C_READ, NULL);
}

Elf_Scn *elf_section(Elf *elf, const char *name)
{
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr h;
        const char *this = gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
        if (this && strcmp(this, name) == 0)
            return scn;
    }
    return NULL;
}

/* --- separate files --- */

/* The file that is searched for. */
struct debug_wanted {
    const unsigned char *id; /* build-id */
    size_t id_bytes;         /* 0: no build-id */
    uint32_t crc;
    bool by_crc;
    uid_t owner[2]; /* owners of the program's file, and of the root folder that it is below */
};

static bool crc_matches(int fd, uint32_t wanted)
{
    unsigned char *chunk = malloc(CRC_CHUNK);
    uLong crc = crc32(0, NULL, 0);
    off_t at = 0;
    for (ssize_t n; chunk && (n = pread(fd, chunk, CRC_CHUNK, at)) > 0; at += n)
        crc = crc32(crc, chunk, (uInt)n);
    free(chunk);
    return crc == wanted;
}

static bool matches_debug_file(const struct debug_wanted *w, Elf *elf, int fd)
{
    const void *id = NULL;
    ssize_t n = w->id_bytes ? dwelf_elf_gnu_build_id(elf, &id) : 0;
    if (n > 0)
        return (size_t)n == w->id_bytes && memcmp(id, w->id, w->id_bytes) == 0;
    return w->by_crc && crc_matches(fd, w->crc);
}

/* Anyone may put a file next to a program in /tmp. A debug file is trusted only if it belongs to
 * the owner of the program, or of the system (or container) that the program is in. */
static bool is_debug_file_believed(const struct debug_wanted *w, const struct stat *state)
{
    return S_ISREG(state->st_mode) &&
           (!owner_refuses(state, w->owner[0]) || !owner_refuses(state, w->owner[1]));
}

static bool try_debug_file(struct debug_file *d, const struct debug_wanted *w, const char *path)
{
    struct stat state;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    Elf *elf = fstat(fd, &state) == 0 && is_debug_file_believed(w, &state) ? elf_open(fd) : NULL;
    if (elf && elf_kind(elf) == ELF_K_ELF && matches_debug_file(w, elf, fd)) {
        d->fd = fd;
        d->elf = elf;
        return true;
    }
    elf_end(elf);
    close(fd);
    return false;
}

static bool try_build_id(struct debug_file *d, const struct debug_wanted *w, const char *root)
{
    char path[PATH_MAX], hex[ID_BYTES_MAX * 2 + 1];
    if (w->id_bytes < 2 || w->id_bytes > ID_BYTES_MAX)
        return false;
    for (size_t i = 0; i < w->id_bytes; i++)
        snprintf(hex + 2 * i, 3, "%02x", w->id[i]);
    env_path(path, sizeof path, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", root, hex, hex + 2);
    return try_debug_file(d, w, path);
}

/* Looks next to the file, in .debug there, and in the same place below /usr/lib/debug. */
static bool try_name(struct debug_file *d, const struct debug_wanted *w, const char *root,
                     const char *inside, const char *name)
{
    char path[PATH_MAX * 2];
    const char *slash = strrchr(inside, '/');
    int dir = slash ? (int)(slash - inside) : 0;
    snprintf(path, sizeof path, "%s%.*s/%s", root, dir, inside, name);
    if (try_debug_file(d, w, path))
        return true;
    snprintf(path, sizeof path, "%s%.*s/.debug/%s", root, dir, inside, name);
    if (try_debug_file(d, w, path))
        return true;
    env_path(path, sizeof path, "%s/usr/lib/debug%.*s/%s", root, dir, inside, name);
    return try_debug_file(d, w, path);
}

/* The length of "/proc/PID/root" at the start of a container's path; 0: not such a path. */
static size_t root_length(const char *path)
{
    size_t digits = strncmp(path, "/proc/", 6) == 0 ? strspn(path + 6, "0123456789") : 0;
    return digits && strncmp(path + 6 + digits, "/root/", 6) == 0 ? 6 + digits + 5 : 0;
}

static uid_t find_path_owner(const char *path)
{
    struct stat state;
    return path && stat(path, &state) == 0 ? state.st_uid : OWNER_NOBODY;
}

void debug_file_find(struct debug_file *d, Elf *elf, const char *path)
{
    struct debug_wanted w = {0};
    const void *id = NULL;
    char root[64] = "", link_target[PATH_MAX];
    GElf_Word crc = 0;
    ssize_t n = dwelf_elf_gnu_build_id(elf, &id);
    w.id = id;
    w.id_bytes = n > 0 ? (size_t)n : 0;
    const char *name = dwelf_elf_gnu_debuglink(elf, &crc);
    w.by_crc = name != NULL;
    w.crc = crc;
    size_t length = path ? root_length(path) : 0;
    snprintf(root, sizeof root, "%.*s", (int)length, path ? path : "");
    w.owner[0] = find_path_owner(path);
    w.owner[1] = length ? find_path_owner(root) : 0;
    if (try_build_id(d, &w, root) || (length && try_build_id(d, &w, "")))
        return;
    /* A name with a slash could lead out of the folder. */
    if (!name || !*name || strchr(name, '/') || !path)
        return;
    if (try_name(d, &w, root, path + length, name))
        return;
    if (!length && realpath(path, link_target))
        try_name(d, &w, "", link_target, name);
}

/* --- .gnu_debugdata --- */

/* liblzma's function, whose interface is stable; libdw loads the library. */
typedef int unpack_fn(uint64_t *memory_limit, uint32_t flags, const void *allocator,
                      const uint8_t *in, size_t *in_at, size_t in_size, uint8_t *out,
                      size_t *out_at, size_t out_size);

static void *unpack_lzma(const void *data, size_t size, size_t *unpacked)
{
    enum { LZMA_OK = 0, LZMA_BUF_ERROR = 10 };
    void *lib = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL), *out = NULL;
    unpack_fn *fn = NULL;
    if (lib)
        *(void **)&fn = dlsym(lib, "lzma_stream_buffer_decode");
    int rc = LZMA_BUF_ERROR;
    for (size_t room = 1 << 20; fn && rc == LZMA_BUF_ERROR && room <= UNPACKED_MAX; room *= 2) {
        uint64_t memory = UNPACKED_MAX;
        size_t in_at = 0;
        *unpacked = 0;
        free(out);
        out = malloc(room);
        rc = out ? fn(&memory, 0, NULL, data, &in_at, size, out, unpacked, room) : -1;
    }
    if (lib)
        dlclose(lib);
    if (rc == LZMA_OK)
        return out;
    free(out);
    return NULL;
}

void debug_file_unpack(struct debug_file *d, Elf *elf)
{
    Elf_Scn *scn = elf_section(elf, ".gnu_debugdata");
    Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
    if (!data || !data->d_buf)
        return;
    d->memory = unpack_lzma(data->d_buf, data->d_size, &d->size);
    d->elf = d->memory ? elf_memory(d->memory, d->size) : NULL;
    if (d->elf && elf_kind(d->elf) != ELF_K_ELF) {
        elf_end(d->elf);
        d->elf = NULL;
    }
}

void debug_file_close(struct debug_file *d)
{
    elf_end(d->elf);
    if (d->fd >= 0)
        close(d->fd);
    free(d->memory);
    *d = (struct debug_file)DEBUG_FILE_NONE;
}
