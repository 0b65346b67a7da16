#include "symbols/symbols.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/list.h"
#include "symbols/symbols_impl.h"

enum { SEGMENTS_MAX = 4096, CHECK_NS = 1000000 };

struct symbols *symbols_new(size_t memory_limit)
{
    struct symbols *s = xcalloc(1, sizeof *s);
    s->limit = memory_limit ? memory_limit : SYMBOLS_MEMORY_DEFAULT;
    if (s->limit < SYMBOLS_MEMORY_LEAST)
        s->limit = SYMBOLS_MEMORY_LEAST;
    return s;
}

static void free_file(struct symbol_file *f)
{
    if (!f)
        return;
    image_close(f->image);
    free(f->segments);
    free(f->path);
    free(f);
}

void symbols_free(struct symbols *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->nfiles; i++)
        free_file(s->files[i]);
    free_file(s->vdso);
    kernel_symbols_free(s->kernel);
    jit_maps_free(s->jit);
    free(s->files);
    strings_free(&s->strings);
    free(s);
}

/* Memory of the tables of files, the kernel and run-time code, which can be dropped and read again.
 */
static size_t tables_memory(const struct symbols *s)
{
    size_t bytes = s->vdso && s->vdso->image ? s->vdso->image->bytes : 0;
    for (size_t i = 0; i < s->nfiles; i++)
        bytes += s->files[i]->image ? s->files[i]->image->bytes : 0;
    return bytes + kernel_symbols_memory(s->kernel) + jit_maps_memory(s->jit);
}

size_t symbols_memory(const struct symbols *s)
{
    const size_t handle = sizeof(struct symbol_file) + 256; /* with its path and segments */
    return tables_memory(s) + s->nfiles * handle + strings_memory(&s->strings);
}

/* Drops the least recently used images until the limit holds, but not the current one. */
static void keep_to_limit(struct symbols *s, const struct symbol_file *current)
{
    while (tables_memory(s) > s->limit) {
        struct symbol_file *oldest = NULL;
        for (size_t i = 0; i < s->nfiles; i++) {
            struct symbol_file *f = s->files[i];
            /* cppcheck-suppress nullPointerRedundantCheck */
            if (f->image && f != current && (!oldest || f->used < oldest->used))
                oldest = f;
        }
        if (!oldest)
            return;
        image_close(oldest->image);
        oldest->image = NULL;
    }
}

/* --- files --- */

static void read_file_segments(struct symbol_file *f, bool code_only)
{
    size_t n = 0;
    elf_getphdrnum(f->image->elf, &n);
    n = n < SEGMENTS_MAX ? n : SEGMENTS_MAX;
    f->segments = xrealloc(f->segments, n, sizeof *f->segments);
    f->nsegments = 0;
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr p;
        if (gelf_getphdr(f->image->elf, (int)i, &p) && p.p_type == PT_LOAD &&
            (!code_only || (p.p_flags & PF_X)))
            f->segments[f->nsegments++] = (struct file_segment){p.p_offset, p.p_filesz, p.p_vaddr};
    }
}

static bool is_same_state(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Opens a regular file. Returns a descriptor or -errno. */
static int open_regular_file(const char *path, struct stat *state)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    int code = 0;
    if (fstat(fd, state) != 0)
        code = errno;
    else if (!S_ISREG(state->st_mode))
        code = ENOEXEC;
    if (code == 0)
        return fd;
    close(fd);
    return -code;
}

/* Finds a file by path and state, whether its image is loaded or dropped; NULL: unknown. */
static struct symbol_file *find_file(const struct symbols *s, const char *path,
                                     const struct stat *state)
{
    for (size_t i = 0; i < s->nfiles; i++) {
        if (is_same_state(&s->files[i]->state, state) && strcmp(s->files[i]->path, path) == 0)
            return s->files[i];
    }
    return NULL;
}

static struct symbol_file *keep_symbol_file(struct symbols *s, const char *path,
                                            const struct stat *state, struct image *image)
{
    struct symbol_file *f = xcalloc(1, sizeof *f);
    *f = (struct symbol_file){.owner = s, .path = xstrdup(path), .state = *state, .image = image};
    f->used = ++s->clock;
    read_file_segments(f, true);
    if (f->nsegments == 0)
        read_file_segments(f, false);
    LIST_ROOM(s->files, s->nfiles, s->cap);
    return s->files[s->nfiles++] = f;
}

struct symbol_file *symbols_file(struct symbols *s, const char *path, struct error *err)
{
    struct stat state = {0};
    int fd = open_regular_file(path, &state);
    if (fd < 0) {
        bool refused = fd == -EACCES || fd == -EPERM;
        error_set(err, refused ? ERROR_PERMISSION : ERROR_INPUT, -fd, NULL, path, "%s",
                  fd == -ENOEXEC ? "not a plain file" : strerror(-fd));
        return NULL;
    }
    struct symbol_file *f = find_file(s, path, &state);
    if (f) {
        close(fd);
        f->gone = false;
        return f;
    }
    struct image *image = image_open(fd, &s->strings);
    if (!image) {
        error_set(err, ERROR_INPUT, ENOEXEC, NULL, path, "not an ELF file");
        return NULL;
    }
    return keep_symbol_file(s, path, &state, image);
}

bool symbol_file_address(const struct symbol_file *f, uint64_t file_offset, uint64_t *address)
{
    for (size_t i = 0; i < f->nsegments; i++) {
        const struct file_segment *g = &f->segments[i];
        if (file_offset >= g->offset && file_offset - g->offset < g->size) {
            *address = file_offset - g->offset + g->address;
            return true;
        }
    }
    return false;
}

/* Reads a dropped image again. A changed file is no longer read, because the mapping may extend
 * past its new end. */
static bool has_image(struct symbol_file *f)
{
    struct stat state = {0};
    if (!f->path || f->gone)
        return f->image && !f->gone;
    if (f->image) {
        uint64_t now = env_now_ns();
        if (now - f->checked_ns < CHECK_NS)
            return true;
        f->checked_ns = now;
        f->gone = fstat(f->image->fd, &state) != 0 || !is_same_state(&state, &f->state);
        return !f->gone;
    }
    int fd = open_regular_file(f->path, &state);
    if (fd >= 0 && !is_same_state(&state, &f->state)) {
        close(fd);
        fd = -1;
    }
    f->image = fd >= 0 ? image_open(fd, &f->owner->strings) : NULL;
    f->gone = !f->image;
    return f->image;
}

size_t symbol_file_resolve(struct symbol_file *f, uint64_t address, struct symbol_frame *out,
                           size_t max)
{
    /* starts again with an image that alone exceeds the limit: units are read when needed */
    if (f->image && f->image->bytes > f->owner->limit)
        keep_to_limit(f->owner, NULL);
    if (!has_image(f))
        return 0;
    f->used = ++f->owner->clock;
    size_t before = f->image->bytes;
    size_t n = image_resolve(f->image, f->path, address, out, max);
    if (f->image->bytes != before)
        keep_to_limit(f->owner, f);
    return n;
}

size_t symbol_file_build_id(struct symbol_file *f, const void **id)
{
    const ssize_t n = has_image(f) ? dwelf_elf_gnu_build_id(f->image->elf, id) : 0;
    return n > 0 ? (size_t)n : 0;
}

/* --- the kernel of the system, run-time code, the vDSO --- */

bool symbols_kernel(struct symbols *s, uint64_t ip, struct symbol_frame *out, const char **module)
{
    if (!s->kernel)
        s->kernel = kernel_symbols_new(&s->strings);
    return kernel_symbols_find(s->kernel, ip, out, module);
}

void symbols_ended(struct symbols *s)
{
    s->ended = true;
}

bool symbols_jit(struct symbols *s, pid_t pid, uint64_t ip, struct symbol_frame *out)
{
    if (!s->jit)
        s->jit = jit_maps_new(&s->strings, s->ended);
    return jit_maps_find(s->jit, pid, ip, out);
}

struct symbol_file *symbols_vdso(struct symbols *s)
{
    size_t size = 0;
    if (s->vdso_tried)
        return s->vdso;
    s->vdso_tried = true;
    void *data = vdso_data(&size);
    struct image *image = data ? image_open_memory(data, size, &s->strings) : NULL;
    if (image) {
        s->vdso = xcalloc(1, sizeof *s->vdso);
        *s->vdso = (struct symbol_file){.owner = s, .image = image};
        read_file_segments(s->vdso, true);
    }
    return s->vdso;
}
