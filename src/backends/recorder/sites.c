/* Finds the call sites of files and keeps them in a folder. */
#include "backends/recorder/recorder_impl.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/owner.h"
#include "base/state_dir.h"
#include "base/temporary.h"

enum { TEXT_MAX = 256 * 1024 * 1024, SITES_MAX = 64 * 1024, ID_MAX = 64 };

/* --- the folder: a file for each build id --- */

struct head {
    char magic[8]; /* includes the format's version */
    uint64_t n, lone, hash;
};
static const char magic[8] = "rtsites2";

static bool kept_path(const char *id, char out[PATH_MAX], bool make)
{
    char dir[PATH_MAX - ID_MAX - 64];
    if (!*id || !state_dir(dir, sizeof dir, NULL))
        return false;
    snprintf(out, PATH_MAX, "%s/sites", dir);
    if (make && state_dir_make(out) != 0)
        return false;
    snprintf(out, PATH_MAX, "%s/sites/%s", dir, id);
    return true;
}

static uint64_t checksum_of_sites(const struct site_list *s)
{
    return hash_bytes(s->lone, s->list, s->n * sizeof *s->list);
}

static bool read_site_list(FILE *f, struct site_list *out)
{
    struct head h;
    if (fread(&h, sizeof h, 1, f) != 1 || memcmp(h.magic, magic, sizeof magic) != 0 ||
        h.n > SITES_MAX)
        return false;
    *out = (struct site_list){.n = (size_t)h.n, .cap = (size_t)h.n, .lone = (size_t)h.lone};
    out->list = xcalloc(out->n + 1, sizeof *out->list);
    if (fread(out->list, sizeof *out->list, out->n, f) == out->n &&
        checksum_of_sites(out) == h.hash)
        return true;
    sites_free(out);
    return false;
}

static bool read_kept_sites(const char *id, struct site_list *out)
{
    char path[PATH_MAX];
    FILE *f = kept_path(id, path, false) ? fopen(path, "re") : NULL;
    if (!f)
        return false;
    const bool ok = read_site_list(f, out);
    fclose(f);
    return ok;
}

/* Writes another file and renames it, because another rooftop may read this one meanwhile. */
static void store_sites(const char *id, const struct site_list *s)
{
    char path[PATH_MAX], aside[PATH_MAX + TEMPORARY_MORE];
    struct head h = {.n = s->n, .lone = s->lone, .hash = checksum_of_sites(s)};
    memcpy(h.magic, magic, sizeof magic);
    if (!kept_path(id, path, true))
        return;
    const int fd = temporary_file(path, aside, sizeof aside);
    FILE *f = fd >= 0 ? temporary_stream(fd) : NULL;
    bool ok = f && fwrite(&h, sizeof h, 1, f) == 1 &&
              (s->n == 0 || fwrite(s->list, sizeof *s->list, s->n, f) == s->n);
    if (f)
        ok &= fclose(f) == 0;
    if (fd >= 0 && (!ok || rename(aside, path) != 0))
        unlink(aside);
    if (fd >= 0)
        close(fd);
}

/* --- reading an ELF file --- */

/* The build id among n bytes of notes, as hexadecimal digits. */
static bool id_in_notes(const uint8_t *notes, size_t n, size_t align, char out[2 * ID_MAX + 1])
{
    for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= n;) {
        Elf64_Nhdr h;
        memcpy(&h, notes + at, sizeof h);
        const size_t name = at + sizeof h, id = name + ((h.n_namesz + align - 1) & ~(align - 1));
        if (h.n_namesz > n || h.n_descsz > n || id + h.n_descsz > n)
            return false;
        if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == sizeof ELF_NOTE_GNU &&
            memcmp(notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 && h.n_descsz >= 8 &&
            h.n_descsz <= ID_MAX) {
            for (size_t i = 0; i < h.n_descsz; i++)
                snprintf(out + 2 * i, 3, "%02x", notes[id + i]);
            return true;
        }
        at = id + ((h.n_descsz + align - 1) & ~(align - 1));
    }
    return false;
}

/* Reads only a page or two, because the file is mapped only if its sites are unknown. */
static void build_id(int fd, char out[2 * ID_MAX + 1])
{
    uint8_t page[4096], more[1024];
    Elf64_Ehdr h;
    const ssize_t n = pread(fd, page, sizeof page, 0);
    out[0] = '\0';
    if (n < (ssize_t)sizeof h)
        return;
    memcpy(&h, page, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_phentsize != sizeof(Elf64_Phdr) || h.e_phoff > (size_t)n)
        return;
    for (size_t i = 0; i < h.e_phnum; i++) {
        Elf64_Phdr p;
        const size_t at = h.e_phoff + i * sizeof p;
        if (at + sizeof p > (size_t)n)
            return;
        memcpy(&p, page + at, sizeof p);
        if (p.p_type != PT_NOTE)
            continue;
        const size_t size = p.p_filesz < sizeof more ? p.p_filesz : sizeof more;
        const ssize_t got = pread(fd, more, size, (off_t)p.p_offset);
        if (got > 0 && id_in_notes(more, (size_t)got, p.p_align == 8 ? 8 : 4, out))
            return;
    }
}

/* Decodes the sections of code; nothing without sections. */
static void decode_all(Elf *elf, struct site_list *out)
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr h;
        if (!gelf_getshdr(scn, &h) || h.sh_type != SHT_PROGBITS || !(h.sh_flags & SHF_EXECINSTR) ||
            h.sh_size > TEXT_MAX || h.sh_offset + h.sh_size > UINT32_MAX)
            continue;
        const Elf_Data *d = elf_rawdata(scn, NULL);
        if (d && d->d_buf && d->d_size == h.sh_size)
            sites_decode(d->d_buf, d->d_size, h.sh_offset, out);
    }
    if (out->n > SITES_MAX)
        out->n = SITES_MAX;
}

static bool decode_file(int fd, const char *id, struct site_list *out)
{
    GElf_Ehdr head;
    elf_version(EV_CURRENT);
    /* Not mapped: if the file became shorter meanwhile, reading would raise SIGBUS. */
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const bool ok = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &head) &&
                    head.e_machine == EM_X86_64;
    if (ok) {
        decode_all(elf, out);
        store_sites(id, out);
    }
    elf_end(elf);
    return ok;
}

bool sites_find(const char *path, struct site_list *out)
{
    char id[2 * ID_MAX + 1];
    *out = (struct site_list){0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0)
        return false;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (ok) {
        build_id(fd, id);
        if (owner_refuses(&st, geteuid())) /* another user's file may have a false build id */
            id[0] = '\0';
        ok = read_kept_sites(id, out) || decode_file(fd, id, out);
    }
    close(fd);
    return ok;
}

void sites_free(struct site_list *s)
{
    free(s->list);
    *s = (struct site_list){0};
}
