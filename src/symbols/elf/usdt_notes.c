#include "symbols/elf/usdt_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STAPSDT_TYPE = 3, SECTION_MAX = 16 << 20, SEGMENTS_MAX = 1024, NOTE_HEAD = 12 };
static const char note_owner[] = "stapsdt";

struct notes_parser {
    struct usdt_notes *out;
    Elf *elf;
    bool big_endian;
    size_t word;   /* bytes of an address */
    bool has_base; /* the file has .stapsdt.base */
    uint64_t base; /* the present address of .stapsdt.base */
    uint64_t file_size;
    size_t nsegments;    /* loaded segments */
    GElf_Phdr *segments; /* at most SEGMENTS_MAX */
};

/* Reads a number in the file's byte order; size is 4 or 8. */
static uint64_t note_number(const struct notes_parser *p, const uint8_t *from, size_t size)
{
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++)
        v = v << 8 | from[p->big_endian ? i : size - 1 - i];
    return v;
}

/* --- addresses --- */

static void read_note_segments(struct notes_parser *p)
{
    size_t n;
    if (elf_getphdrnum(p->elf, &n) != 0)
        return;
    n = n < SEGMENTS_MAX ? n : SEGMENTS_MAX;
    p->segments = xcalloc(n + 1, sizeof *p->segments);
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr h;
        if (gelf_getphdr(p->elf, (int)i, &h) && h.p_type == PT_LOAD)
            p->segments[p->nsegments++] = h;
    }
}

/* Finds where size bytes at an address are in the file, in a segment with this flag. */
static bool file_offset(const struct notes_parser *p, uint64_t address, uint64_t size,
                        uint32_t flag, uint64_t *out)
{
    for (size_t i = 0; i < p->nsegments; i++) {
        const GElf_Phdr *h = &p->segments[i];
        if (!(h->p_flags & flag) || address < h->p_vaddr || size > h->p_filesz ||
            address - h->p_vaddr > h->p_filesz - size)
            continue;
        *out = address - h->p_vaddr + h->p_offset;
        /* otherwise the sum overflowed, or the file was cut */
        return *out >= h->p_offset && *out < p->file_size;
    }
    return false;
}

static void locate_probe(const struct notes_parser *p, struct usdt_probe *probe, uint64_t base,
                         uint64_t semaphore)
{
    uint64_t moved = p->has_base && base ? p->base - base : 0;
    uint64_t mask = p->word == 4 ? UINT32_MAX : UINT64_MAX;
    probe->address = (probe->address + moved) & mask;
    probe->located = file_offset(p, probe->address, 1, PF_X, &probe->offset);
    if (semaphore && !file_offset(p, (semaphore + moved) & mask, sizeof(uint16_t), PF_W,
                                  &probe->semaphore_offset))
        probe->located = false;
}

/* --- notes --- */

/*
 * Takes a printable text of at most max bytes that ends within size bytes; NULL if there is none.
 */
static const char *take_note_text(struct notes_parser *p, const uint8_t **at, size_t *size,
                                  size_t max)
{
    const uint8_t *end = *size ? memchr(*at, 0, *size) : NULL;
    size_t n = end ? (size_t)(end - *at) : 0;
    if (!end || n > max)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if ((*at)[i] < 0x20 || (*at)[i] > 0x7e)
            return NULL;
    const char *copy = arena_strndup(&p->out->texts, (const char *)*at, n);
    *at = end + 1;
    *size -= n + 1;
    return copy;
}

static bool take_probe(struct notes_parser *p, const uint8_t *desc, size_t size)
{
    struct usdt_notes *out = p->out;
    struct usdt_probe probe = {0};
    if (size < 3 * p->word)
        return false;
    probe.address = note_number(p, desc, p->word);
    uint64_t base = note_number(p, desc + p->word, p->word);
    uint64_t semaphore = note_number(p, desc + 2 * p->word, p->word);
    desc += 3 * p->word;
    size -= 3 * p->word;
    probe.provider = take_note_text(p, &desc, &size, USDT_NAME_MAX);
    probe.name = probe.provider ? take_note_text(p, &desc, &size, USDT_NAME_MAX) : NULL;
    probe.arguments = probe.name ? take_note_text(p, &desc, &size, USDT_ARGUMENTS_MAX) : NULL;
    if (!probe.arguments || !*probe.provider || !*probe.name)
        return false;
    locate_probe(p, &probe, base, semaphore);
    if (out->n == USDT_PROBES_MAX) {
        out->left_out++;
        return true;
    }
    if ((out->n & (out->n + 1)) == 0) /* the array grows at 2^k - 1 entries */
        out->probes = xrealloc(out->probes, 2 * (out->n + 1), sizeof *out->probes);
    out->probes[out->n++] = probe;
    return true;
}

static size_t pad_to_four_bytes(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

static void take_notes(struct notes_parser *p, const uint8_t *at, size_t left)
{
    while (left >= NOTE_HEAD) {
        size_t name = note_number(p, at, 4), desc = note_number(p, at + 4, 4),
               type = note_number(p, at + 8, 4);
        at += NOTE_HEAD;
        left -= NOTE_HEAD;
        if (pad_to_four_bytes(name) > left || desc > left - pad_to_four_bytes(name)) {
            p->out->damaged++;
            return;
        }
        bool ours = type == STAPSDT_TYPE && name == sizeof note_owner &&
                    memcmp(at, note_owner, sizeof note_owner) == 0;
        at += pad_to_four_bytes(name);
        left -= pad_to_four_bytes(name);
        if (ours && !take_probe(p, at, desc))
            p->out->damaged++;
        size_t step = pad_to_four_bytes(desc) < left ? pad_to_four_bytes(desc) : left;
        at += step;
        left -= step;
    }
}

/* --- a file --- */

static void take_section(struct notes_parser *p, Elf_Scn *scn)
{
    Elf_Data *d = elf_rawdata(scn, NULL);
    if (!d || !d->d_buf)
        return;
    if (d->d_size > SECTION_MAX)
        p->out->damaged++;
    take_notes(p, d->d_buf, d->d_size < SECTION_MAX ? d->d_size : SECTION_MAX);
}

static const char *read_section_name(Elf *elf, const GElf_Shdr *h)
{
    size_t names;
    const char *name =
        elf_getshdrstrndx(elf, &names) == 0 ? elf_strptr(elf, names, h->sh_name) : NULL;
    return name ? name : "";
}

static void read_sections(struct notes_parser *p)
{
    GElf_Shdr h;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(p->elf, scn));)
        if (gelf_getshdr(scn, &h) && strcmp(read_section_name(p->elf, &h), ".stapsdt.base") == 0) {
            p->has_base = true;
            p->base = h.sh_addr;
        }
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(p->elf, scn));)
        if (gelf_getshdr(scn, &h) && h.sh_type == SHT_NOTE &&
            strcmp(read_section_name(p->elf, &h), ".note.stapsdt") == 0)
            take_section(p, scn);
}

static int compare_usdt_probes(const void *a, const void *b)
{
    const struct usdt_probe *x = a, *y = b;
    int order = strcmp(x->provider, y->provider);
    if (order == 0)
        order = strcmp(x->name, y->name);
    if (order != 0)
        return order;
    return x->address < y->address ? -1 : x->address > y->address;
}

static int read_usdt_elf(struct usdt_notes *out, Elf *elf, uint64_t size, const char *name,
                         struct error *err)
{
    struct notes_parser p = {.out = out, .elf = elf, .file_size = size};
    const char *ident = elf && elf_kind(elf) == ELF_K_ELF ? elf_getident(elf, NULL) : NULL;
    GElf_Ehdr head;
    if (!ident || !gelf_getehdr(elf, &head)) {
        elf_end(elf);
        return error_set(err, ERROR_INPUT, EINVAL, "name a program or a library", name,
                         "it is not an ELF file");
    }
    p.big_endian = ident[EI_DATA] == ELFDATA2MSB;
    p.word = ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
    out->bits = (int)p.word * 8;
    if (head.e_type == ET_EXEC || head.e_type == ET_DYN)
        read_note_segments(&p);
    read_sections(&p);
    free(p.segments);
    elf_end(elf);
    if (out->n)
        qsort(out->probes, out->n, sizeof *out->probes, compare_usdt_probes);
    return 0;
}

int usdt_notes_read(struct usdt_notes *out, const char *path, struct error *err)
{
    struct stat st;
    *out = (struct usdt_notes){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        int code = fd < 0 ? errno : EINVAL;
        if (fd >= 0)
            close(fd);
        return error_set(err, ERROR_INPUT, code, NULL, path, "%s",
                         fd < 0 ? strerror(code) : "it is not a regular file");
    }
    out->dev = st.st_dev;
    out->inode = st.st_ino;
    elf_version(EV_CURRENT);
    /* Not mapped: if the file became shorter meanwhile, reading would raise SIGBUS. */
    int rc = read_usdt_elf(out, elf_begin(fd, ELF_C_READ, NULL), (uint64_t)st.st_size, path, err);
    close(fd);
    return rc;
}

int usdt_notes_parse(struct usdt_notes *out, void *data, size_t size, const char *name,
                     struct error *err)
{
    *out = (struct usdt_notes){0};
    elf_version(EV_CURRENT);
    return read_usdt_elf(out, elf_memory(data, size), size, name, err);
}

void usdt_notes_free(struct usdt_notes *n)
{
    free(n->probes);
    arena_free(&n->texts);
    *n = (struct usdt_notes){0};
}
