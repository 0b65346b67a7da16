#include "backends/unwind/unwind_impl.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/search.h"

enum {
    SEGMENTS_MAX = 256,
    FILE_INDEX_BYTES_MAX = 8 << 20,
    FRAMES_BYTES_MAX = 128 << 20,
    /* Linux Standard Base, "The .eh_frame_hdr section"; as GNU ld, gold and lld write it */
    VERSION = 1,
    PCREL_SDATA4 = 0x1b,
    UDATA4 = 0x03,
    DATAREL_SDATA4 = 0x3b,
    HEAD = 12,
};

struct function {
    uint64_t start;
    uint32_t size; /* 0: up to the next function */
};

struct eh_index {
    struct function *functions; /* sorted by start */
    size_t n;
};

struct file {
    int fd;
    Elf64_Phdr segments[SEGMENTS_MAX];
    size_t nsegments;
};

static bool read_elf_bytes(int fd, void *to, size_t n, uint64_t at)
{
    return at <= INT64_MAX && pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

static bool read_load_segments(struct file *f)
{
    Elf64_Ehdr h;
    if (!read_elf_bytes(f->fd, &h, sizeof h, 0) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
        h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB ||
        h.e_phentsize != sizeof *f->segments || h.e_phnum > SEGMENTS_MAX)
        return false;
    f->nsegments = h.e_phnum;
    return read_elf_bytes(f->fd, f->segments, f->nsegments * sizeof *f->segments, h.e_phoff);
}

static const Elf64_Phdr *find_index(const struct file *f)
{
    for (size_t i = 0; i < f->nsegments; i++)
        if (f->segments[i].p_type == PT_GNU_EH_FRAME)
            return &f->segments[i];
    return NULL;
}

/* Reads the bytes of the file that are loaded at address. */
static bool read_loaded_bytes(const struct file *f, uint64_t address, void *to, size_t n)
{
    for (size_t i = 0; i < f->nsegments; i++) {
        const Elf64_Phdr *p = &f->segments[i];
        if (p->p_type == PT_LOAD && address >= p->p_vaddr && n <= p->p_filesz &&
            address - p->p_vaddr <= p->p_filesz - n)
            return read_elf_bytes(f->fd, to, n, address - p->p_vaddr + p->p_offset);
    }
    return false;
}

/* Reads the sizes of functions from their frame descriptions: length, back pointer, start, size.
 * The descriptions are next to each other, so all are read together; those in another form get no
 * size. */
static void read_function_sizes(const struct file *f, struct eh_index *x, const uint64_t *frame)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < x->n; i++) {
        low = frame[i] < low ? frame[i] : low;
        high = frame[i] > high ? frame[i] : high;
    }
    if (x->n == 0 || high - low > FRAMES_BYTES_MAX)
        return;
    size_t bytes = (size_t)(high - low) + 16;
    uint8_t *all = xcalloc(bytes, 1);
    if (read_loaded_bytes(f, low, all, bytes)) {
        for (size_t i = 0; i < x->n; i++) {
            uint32_t part[4];
            memcpy(part, all + (frame[i] - low), sizeof part);
            uint64_t begin = frame[i] + 8 + (uint64_t)(int64_t)(int32_t)part[2];
            if (part[0] >= 12 && part[0] != UINT32_MAX && begin == x->functions[i].start)
                x->functions[i].size = part[3];
        }
    }
    free(all);
}

static int compare_function_starts(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static struct eh_index *parse_eh_index(const struct file *f, const Elf64_Phdr *p,
                                       const uint8_t *data)
{
    static const uint8_t form[4] = {VERSION, PCREL_SDATA4, UDATA4, DATAREL_SDATA4};
    uint32_t n;
    if (memcmp(data, form, sizeof form) != 0)
        return NULL;
    memcpy(&n, data + 8, sizeof n);
    if (n > (p->p_filesz - HEAD) / 8)
        return NULL;
    struct eh_index *x = xcalloc(1, sizeof *x);
    uint64_t *frame = xcalloc(n, sizeof *frame);
    x->functions = xcalloc(n, sizeof *x->functions);
    x->n = n;
    for (size_t i = 0; i < n; i++) {
        int32_t pair[2];
        memcpy(pair, data + HEAD + i * 8, sizeof pair);
        x->functions[i].start = p->p_vaddr + (uint64_t)(int64_t)pair[0];
        frame[i] = p->p_vaddr + (uint64_t)(int64_t)pair[1];
    }
    read_function_sizes(f, x, frame);
    free(frame);
    /* the file should be sorted, but it is not trusted */
    qsort(x->functions, n, sizeof *x->functions, compare_function_starts);
    return x;
}

struct eh_index *eh_index_open(const char *path)
{
    struct file f = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct eh_index *x = NULL;
    const Elf64_Phdr *p = f.fd >= 0 && read_load_segments(&f) ? find_index(&f) : NULL;
    if (p && p->p_filesz >= HEAD && p->p_filesz <= FILE_INDEX_BYTES_MAX) {
        uint8_t *data = xcalloc((size_t)p->p_filesz, 1);
        if (read_elf_bytes(f.fd, data, (size_t)p->p_filesz, p->p_offset))
            x = parse_eh_index(&f, p, data);
        free(data);
    }
    if (f.fd >= 0)
        close(f.fd);
    return x;
}

void eh_index_free(struct eh_index *x)
{
    if (x)
        free(x->functions);
    free(x);
}

bool eh_index_find(const struct eh_index *x, uint64_t address, uint64_t *start, uint64_t *size)
{
    size_t low = 0; /* finds the first that begins above address */
    SEARCH_FIRST(low, x->n, !(x->functions[low].start > address));
    if (low == 0)
        return false;
    const struct function *f = &x->functions[low - 1];
    uint64_t until_next = low < x->n ? x->functions[low].start - f->start : 0;
    *start = f->start;
    *size = f->size ? f->size : until_next;
    return address - f->start < *size;
}

size_t eh_index_bytes(const struct eh_index *x)
{
    return x ? x->n * sizeof *x->functions : 0;
}
