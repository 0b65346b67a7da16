/* The call sites of files, and the folder where they are kept. */
#include "backends/recorder/sites.h"

#include <elfutils/libdwelf.h>
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
#include "base/state_dir.h"

enum { TEXT_MAX = 256 * 1024 * 1024, SITES_MAX = 64 * 1024, ID_MAX = 64 };

/* --- the kept ones: a file for each build id --- */

struct head {
    char magic[8]; /* with the format's version */
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

static bool read_list(FILE *f, struct site_list *out)
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

static bool recall(const char *id, struct site_list *out)
{
    char path[PATH_MAX];
    FILE *f = kept_path(id, path, false) ? fopen(path, "re") : NULL;
    if (!f)
        return false;
    const bool ok = read_list(f, out);
    fclose(f);
    return ok;
}

/* Writes another file and renames it, because another rooftop may read this one meanwhile. */
static void store_sites(const char *id, const struct site_list *s)
{
    char path[PATH_MAX], aside[PATH_MAX + 16];
    struct head h = {.n = s->n, .lone = s->lone, .hash = checksum_of_sites(s)};
    memcpy(h.magic, magic, sizeof magic);
    if (!kept_path(id, path, true))
        return;
    snprintf(aside, sizeof aside, "%s.%d", path, (int)getpid());
    FILE *f = fopen(aside, "wxe");
    if (!f)
        return;
    const bool ok = fwrite(&h, sizeof h, 1, f) == 1 &&
                    (s->n == 0 || fwrite(s->list, sizeof *s->list, s->n, f) == s->n);
    if (fclose(f) != 0 || !ok || rename(aside, path) != 0)
        unlink(aside);
}

/* --- reading an ELF file --- */

static void build_id(Elf *elf, char out[2 * ID_MAX + 1])
{
    const void *id;
    const ssize_t n = dwelf_elf_gnu_build_id(elf, &id);
    out[0] = '\0';
    for (ssize_t i = 0; i < n && n >= 8 && n <= ID_MAX; i++)
        snprintf(out + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
}

/* Sections of code, or, without sections, nothing. */
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

static bool find_sites(Elf *elf, struct site_list *out)
{
    char id[2 * ID_MAX + 1];
    GElf_Ehdr head;
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &head) ||
        head.e_machine != EM_X86_64)
        return false;
    build_id(elf, id);
    if (recall(id, out))
        return true;
    decode_all(elf, out);
    store_sites(id, out);
    return true;
}

bool sites_find(const char *path, struct site_list *out)
{
    *out = (struct site_list){0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0)
        return false;
    elf_version(EV_CURRENT);
    Elf *elf =
        fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    const bool ok = find_sites(elf, out);
    elf_end(elf);
    close(fd);
    return ok;
}

void sites_free(struct site_list *s)
{
    free(s->list);
    *s = (struct site_list){0};
}
