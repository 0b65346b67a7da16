/*
 * Stubs of the procedure linkage table have no symbols. Each jumps through a slot that a relocation
 * names; the stub's instructions show which slot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "symbols/elf/elf_symbols.h"

/* READ_MAX limits relocations and bytes of code, in all sections together. */
enum { STUB_BYTES = 16, SLOTS_MAX = 1 << 20, READ_MAX = 1 << 26 };

struct plt_slot {
    uint64_t address;
    const char *name;
};

struct slots {
    struct plt_slot *rows;
    size_t n, cap, read;
};

static int compare_plt_slots(const void *a, const void *b)
{
    const struct plt_slot *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void add_relocations(struct slots *t, Elf *elf, Elf_Scn *scn, const GElf_Shdr *h)
{
    GElf_Shdr symbols_head;
    Elf_Scn *symbols_scn = elf_getscn(elf, h->sh_link);
    Elf_Data *d = elf_getdata(scn, NULL);
    Elf_Data *symbols = symbols_scn ? elf_getdata(symbols_scn, NULL) : NULL;
    size_t entry = gelf_fsize(elf, h->sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
    if (!d || !d->d_buf || !symbols || !symbols->d_buf || entry == 0 ||
        !gelf_getshdr(symbols_scn, &symbols_head) || symbols_head.sh_type != SHT_DYNSYM)
        return;
    for (size_t i = 0; i < d->d_size / entry && t->n < SLOTS_MAX && t->read++ < READ_MAX; i++) {
        GElf_Rela a = {0};
        GElf_Rel r = {0};
        GElf_Sym s;
        bool have = h->sh_type == SHT_RELA ? gelf_getrela(d, (int)i, &a) != NULL
                                           : gelf_getrel(d, (int)i, &r) != NULL;
        uint64_t at = h->sh_type == SHT_RELA ? a.r_offset : r.r_offset;
        uint64_t info = h->sh_type == SHT_RELA ? a.r_info : r.r_info;
        if (!have || GELF_R_SYM(info) == 0 || !gelf_getsym(symbols, (int)GELF_R_SYM(info), &s))
            continue;
        const char *name = elf_strptr(elf, symbols_head.sh_link, s.st_name);
        if (!name || !*name)
            continue;
        LIST_ADD(t->rows, t->n, t->cap, (struct plt_slot){at, name});
    }
}

/* x86-64: an optional endbr64 and bnd, then jmp *slot(%rip). */
static bool decode_x86(const unsigned char *code, size_t n, uint64_t at, uint64_t *slot)
{
    static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t i = n >= 4 && memcmp(code, endbr64, 4) == 0 ? 4 : 0;
    int32_t to = 0;
    i += i < n && code[i] == 0xf2;
    if (i + 6 > n || code[i] != 0xff || code[i + 1] != 0x25)
        return false;
    memcpy(&to, code + i + 2, sizeof to);
    *slot = at + i + 6 + (uint64_t)(int64_t)to;
    return true;
}

/* arm64: adrp x16, page; ldr x17, [x16, offset]; perhaps after a bti. */
static bool decode_arm64(const unsigned char *code, size_t n, uint64_t at, uint64_t *slot)
{
    uint32_t w[3] = {0};
    memcpy(w, code, n < sizeof w ? n : sizeof w);
    const uint32_t *p = w;
    if (w[0] == 0xd503245f) { /* bti c */
        p++;
        at += 4;
    }
    if ((p[0] & 0x9f00001f) != 0x90000010 || (p[1] & 0xffc003ff) != 0xf9400211)
        return false;
    int64_t page = (int64_t)((p[0] >> 5 & 0x7ffff) << 2 | (p[0] >> 29 & 3));
    if (page & 1 << 20)
        page -= 1 << 21;
    *slot = (at & ~(uint64_t)0xfff) + (uint64_t)(page * 4096) + (uint64_t)(p[1] >> 10 & 0xfff) * 8;
    return true;
}

static void add_stubs(struct elf_symbols *t, const Elf_Data *d, uint64_t from, unsigned machine,
                      const struct slots *slots, struct strings *strings)
{
    const unsigned char *code = d->d_buf;
    for (size_t i = 0; i + 8 <= d->d_size; i += 8) {
        struct plt_slot key = {0};
        if (!(machine == EM_X86_64 ? decode_x86 : decode_arm64)(code + i, d->d_size - i, from + i,
                                                                &key.address))
            continue;
        const struct plt_slot *found =
            bsearch(&key, slots->rows, slots->n, sizeof *slots->rows, compare_plt_slots);
        char name[1024];
        if (!found)
            continue;
        snprintf(name, sizeof name, "%s@plt", found->name);
        LIST_ROOM(t->rows, t->n, t->cap);
        uint64_t room = d->d_size - i < STUB_BYTES ? d->d_size - i : STUB_BYTES;
        t->rows[t->n++] = (struct elf_symbol){
            .address = from + i, .end = from + i + room, .name = strings_add(strings, name)};
    }
}

void elf_symbols_add_plt(struct elf_symbols *t, Elf *elf, struct strings *strings)
{
    GElf_Ehdr e;
    GElf_Shdr h;
    size_t names = 0;
    struct slots slots = {0};
    if (!gelf_getehdr(elf, &e) || (e.e_machine != EM_X86_64 && e.e_machine != EM_AARCH64) ||
        elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        if (gelf_getshdr(scn, &h) && (h.sh_type == SHT_RELA || h.sh_type == SHT_REL))
            add_relocations(&slots, elf, scn, &h);
    }
    if (slots.n)
        qsort(slots.rows, slots.n, sizeof *slots.rows, compare_plt_slots);
    slots.read = 0;
    for (Elf_Scn *scn = NULL; slots.n && (scn = elf_nextscn(elf, scn)) != NULL;) {
        const char *name = gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
        if (!name || strncmp(name, ".plt", 4) != 0 || h.sh_type != SHT_PROGBITS)
            continue;
        Elf_Data *d = elf_getdata(scn, NULL);
        slots.read += d ? d->d_size : 0;
        if (d && d->d_buf && slots.read < READ_MAX)
            add_stubs(t, d, h.sh_addr, e.e_machine, &slots, strings);
    }
    free(slots.rows);
}
