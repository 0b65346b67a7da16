/* The object's parts as they stand in the file. */
#include <string.h>
#include <unistd.h>

#include "engine/judge/judge_impl.h"

int loading_unknown(const struct loading *o, const char *what)
{
    return judge_refuse(o->refused, GUARD_CONSTRUCTORS,
                        "it cannot be told what runs when it is loaded: %s", what);
}

static int no_object(const struct loading *o, const char *why)
{
    return judge_refuse(o->refused, GUARD_BUILD, "it cannot be loaded: %s", why);
}

static Elf64_Phdr part_of(const struct loading *o, size_t i)
{
    Elf64_Phdr part;
    memcpy(&part, o->bytes + o->head.e_phoff + i * sizeof part, sizeof part);
    return part;
}

static bool in_file(const struct loading *o, uint64_t at, uint64_t n)
{
    return at <= o->n && n <= o->n - at;
}

static int read_object_head(struct loading *o)
{
#if defined(__aarch64__)
    const unsigned machine = EM_AARCH64;
#else
    const unsigned machine = EM_X86_64;
#endif
    if (o->n < sizeof o->head)
        return no_object(o, "it is no shared object");
    memcpy(&o->head, o->bytes, sizeof o->head);
    if (memcmp(o->bytes, ELFMAG, SELFMAG) != 0 || o->head.e_ident[EI_CLASS] != ELFCLASS64 ||
        o->head.e_ident[EI_DATA] != ELFDATA2LSB || o->head.e_type != ET_DYN ||
        o->head.e_machine != machine)
        return no_object(o, "it is no shared object for this machine");
    if (o->head.e_phentsize != sizeof(Elf64_Phdr) ||
        !in_file(o, o->head.e_phoff, (uint64_t)o->head.e_phnum * sizeof(Elf64_Phdr)))
        return no_object(o, "its program headers are not in the file");
    return 0;
}

/* Each page of memory comes from one part, the headers from the first: else ld.so would see another
 * object than the file shows. */
static int check_parts(const struct loading *o)
{
    uint64_t end = 0;
    const uint64_t mask = o->page - 1;
    bool first = true;
    for (size_t i = 0; i < o->head.e_phnum; i++) {
        const Elf64_Phdr part = part_of(o, i);
        if (part.p_type != PT_LOAD)
            continue;
        if (part.p_memsz > UINT32_MAX || part.p_vaddr > UINT32_MAX ||
            part.p_filesz > part.p_memsz || !in_file(o, part.p_offset, part.p_filesz) ||
            (part.p_vaddr & ~mask) < end || ((part.p_vaddr - part.p_offset) & mask) != 0)
            return loading_unknown(o, "its parts overlap, or are not in the file");
        if (first && (part.p_offset != 0 || part.p_vaddr != 0 || (part.p_flags & PF_W) ||
                      o->head.e_phoff > part.p_filesz ||
                      o->head.e_phnum * sizeof part > part.p_filesz - o->head.e_phoff))
            return loading_unknown(o, "its first part does not hold its headers");
        first = false;
        end = (part.p_vaddr + part.p_memsz + mask) & ~mask;
    }
    return first ? loading_unknown(o, "it has no parts") : 0;
}

/* The part that holds an address in its file's bytes. False: none. */
static bool find_part(const struct loading *o, uint64_t address, Elf64_Phdr *out)
{
    for (size_t i = 0; i < o->head.e_phnum; i++) {
        *out = part_of(o, i);
        if (out->p_type == PT_LOAD && address >= out->p_vaddr &&
            address - out->p_vaddr < out->p_filesz)
            return true;
    }
    return false;
}

Elf64_Dyn loading_entry(const struct loading *o, uint64_t i)
{
    Elf64_Dyn entry;
    memcpy(&entry, o->bytes + o->dynamic + i * sizeof entry, sizeof entry);
    return entry;
}

static int find_dynamic(struct loading *o)
{
    size_t found = 0;
    for (size_t i = 0; i < o->head.e_phnum; i++) {
        const Elf64_Phdr part = part_of(o, i);
        Elf64_Phdr in;
        if (part.p_type != PT_DYNAMIC)
            continue;
        if (found++ > 0 || !find_part(o, part.p_vaddr, &in))
            return loading_unknown(o, "its dynamic section is not one part of the file");
        const uint64_t inside = part.p_vaddr - in.p_vaddr,
                       most = (in.p_filesz - inside) / sizeof(Elf64_Dyn);
        o->dynamic = in.p_offset + inside;
        while (o->ndynamic < most && loading_entry(o, o->ndynamic).d_tag != DT_NULL)
            o->ndynamic++;
        if (o->ndynamic == most)
            return loading_unknown(o, "its dynamic section has no end");
        o->dynamic_from = part.p_vaddr;
        o->dynamic_size = (o->ndynamic + 1) * sizeof(Elf64_Dyn);
    }
    return found ? 0 : no_object(o, "it has no dynamic section");
}

int loading_open(struct loading *o, const unsigned char *bytes, size_t n,
                 struct judge_refusal *refused)
{
    *o = (struct loading){
        .bytes = bytes, .n = n, .page = (size_t)sysconf(_SC_PAGESIZE), .refused = refused};
    return read_object_head(o) != 0 || check_parts(o) != 0 || find_dynamic(o) != 0;
}

uint64_t loading_value(const struct loading *o, Elf64_Sxword tag)
{
    uint64_t value = 0; /* of several the last counts, as it does for ld.so */
    for (uint64_t i = 0; i < o->ndynamic; i++)
        if (loading_entry(o, i).d_tag == tag)
            value = loading_entry(o, i).d_un.d_val;
    return value;
}

uint64_t loading_room(const struct loading *o, uint64_t address)
{
    Elf64_Phdr part;
    if (!find_part(o, address, &part) || (part.p_flags & PF_W))
        return 0;
    return part.p_filesz - (address - part.p_vaddr);
}

const unsigned char *loading_fixed(const struct loading *o, uint64_t address, uint64_t n)
{
    Elf64_Phdr part;
    if (n > loading_room(o, address) || !find_part(o, address, &part))
        return NULL;
    return o->bytes + part.p_offset + (address - part.p_vaddr);
}

/* --- relocations --- */

#if defined(__aarch64__)
enum {
    LEADS = R_AARCH64_RELATIVE,
    FINDS = R_AARCH64_IRELATIVE,
    COPIES = R_AARCH64_COPY,
    WORD = 8,
    PAIR = R_AARCH64_TLSDESC
};
#else
enum {
    LEADS = R_X86_64_RELATIVE,
    FINDS = R_X86_64_IRELATIVE,
    COPIES = R_X86_64_COPY,
    WORD = 8,
    PAIR = R_X86_64_TLSDESC
};
#endif

/* Whether bytes are the object's data, and not what says how to load it. */
static bool is_data(const struct loading *o, uint64_t address, uint64_t n)
{
    if (address < o->dynamic_from + o->dynamic_size && o->dynamic_from < address + n)
        return false;
    for (size_t i = 0; i < o->head.e_phnum; i++) {
        const Elf64_Phdr part = part_of(o, i);
        if (part.p_type == PT_LOAD && (part.p_flags & PF_W) && address >= part.p_vaddr &&
            address - part.p_vaddr < part.p_memsz && n <= part.p_memsz - (address - part.p_vaddr))
            return true;
    }
    return false;
}

static int check_table(const struct loading *o, uint64_t address, uint64_t size, uint64_t *named)
{
    const unsigned char *table = loading_fixed(o, address, size);
    if (size > 0 && !table)
        return loading_unknown(o, "its relocations can be written, or are not in the file");
    for (uint64_t i = 0; i < size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela r;
        memcpy(&r, table + i * sizeof r, sizeof r);
        const uint32_t type = ELF64_R_TYPE(r.r_info);
        const uint64_t symbol = ELF64_R_SYM(r.r_info);
        *named = symbol >= *named ? symbol + 1 : *named;
        if (type == FINDS)
            return judge_refuse(
                o->refused, GUARD_CONSTRUCTORS,
                "a function of it runs when it is loaded, to choose another (ifunc)");
        if (type == COPIES || r.r_offset > UINT32_MAX ||
            (type != 0 && !is_data(o, r.r_offset, type == PAIR ? 2 * WORD : WORD)))
            return loading_unknown(o, "a relocation is not of its data");
    }
    return 0;
}

uint64_t loading_pointer(const struct loading *o, uint64_t address)
{
    const uint64_t size = loading_value(o, DT_RELASZ);
    const unsigned char *table = loading_fixed(o, loading_value(o, DT_RELA), size);
    for (uint64_t i = 0; table && i < size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela r;
        memcpy(&r, table + i * sizeof r, sizeof r);
        if (r.r_offset == address && ELF64_R_TYPE(r.r_info) == LEADS)
            return (uint64_t)r.r_addend;
    }
    return 0;
}

int loading_check_relocations(const struct loading *o)
{
    uint64_t named = 0;
    if (loading_value(o, DT_RELR) || loading_value(o, DT_RELRSZ))
        return loading_unknown(o,
                               "its relocations are packed; link with -z nopack-relative-relocs");
    if (loading_value(o, DT_REL) || loading_value(o, DT_TEXTREL) ||
        (loading_value(o, DT_FLAGS) & DF_TEXTREL))
        return loading_unknown(o, "its code is changed by relocations; compile with -fPIC");
    return check_table(o, loading_value(o, DT_RELA), loading_value(o, DT_RELASZ), &named) != 0 ||
           check_table(o, loading_value(o, DT_JMPREL), loading_value(o, DT_PLTRELSZ), &named) !=
               0 ||
           loading_check_symbols(o, named) != 0;
}

/* --- symbols --- */

static uint32_t word_at(const unsigned char *table, uint64_t i)
{
    uint32_t word;
    memcpy(&word, table + i * sizeof word, sizeof word);
    return word;
}

/* How many symbols a table of GNU's finds: up to the end of the last chain (ld.so knows no other
 * end). UINT64_MAX: it is none. */
static uint64_t count_hashed(const struct loading *o, uint64_t address)
{
    const uint64_t room = loading_room(o, address) / 4;
    const unsigned char *table = loading_fixed(o, address, room * 4);
    if (!table || room < 4)
        return UINT64_MAX;
    const uint64_t buckets = word_at(table, 0), first = word_at(table, 1),
                   from = 4 + 2 * (uint64_t)word_at(table, 2);
    uint64_t last = 0;
    if (from > room || buckets > room - from)
        return UINT64_MAX;
    for (uint64_t i = 0; i < buckets; i++) {
        const uint64_t symbol = word_at(table, from + i);
        if (symbol != 0 && symbol < first)
            return UINT64_MAX;
        last = symbol > last ? symbol : last;
    }
    if (last == 0)
        return 0;
    for (;; last++) {
        const uint64_t at = from + buckets + (last - first);
        if (at >= room)
            return UINT64_MAX;
        if (word_at(table, at) & 1)
            return last + 1;
    }
}

/* The same of System V's table. */
static uint64_t count_chained(const struct loading *o, uint64_t address)
{
    const uint64_t room = loading_room(o, address) / 4;
    const unsigned char *table = loading_fixed(o, address, room * 4);
    if (!table || room < 2)
        return UINT64_MAX;
    const uint64_t buckets = word_at(table, 0), symbols = word_at(table, 1);
    if (buckets + symbols > room - 2)
        return UINT64_MAX;
    for (uint64_t i = 0; i < buckets + symbols; i++)
        if (word_at(table, 2 + i) >= symbols)
            return UINT64_MAX;
    return symbols;
}

int loading_check_symbols(const struct loading *o, uint64_t named)
{
    const uint64_t gnu = loading_value(o, DT_GNU_HASH), old = loading_value(o, DT_HASH);
    const uint64_t hashed = gnu ? count_hashed(o, gnu) : 0,
                   chained = old ? count_chained(o, old) : 0;
    if (hashed == UINT64_MAX || chained == UINT64_MAX)
        return loading_unknown(o, "its table of symbols is damaged");
    uint64_t n = hashed > chained ? hashed : chained;
    n = named > n ? named : n;
    const unsigned char *table =
        loading_fixed(o, loading_value(o, DT_SYMTAB), n * sizeof(Elf64_Sym));
    if (n > 0 && !table)
        return loading_unknown(o, "its symbols can be written, or are not in the file");
    for (uint64_t i = 0; i < n; i++) {
        Elf64_Sym s;
        memcpy(&s, table + i * sizeof s, sizeof s);
        if (ELF64_ST_TYPE(s.st_info) == STT_GNU_IFUNC && s.st_shndx != SHN_UNDEF)
            return judge_refuse(
                o->refused, GUARD_CONSTRUCTORS,
                "a function of it runs when it is loaded, to choose another (ifunc)");
    }
    return 0;
}
