#include "engine/code/code_hash.h"

#include <elf.h>
#include <string.h>

#include "base/hash.h"
#include "gpu/code_elf.h"

/* Tables of names. Their bytes contain the module's mark, so symbols_hash hashes their symbols. */
static bool is_table(uint32_t type)
{
    return type == SHT_DYNSYM || type == SHT_STRTAB || type == SHT_HASH || type == SHT_GNU_HASH ||
           type == SHT_DYNAMIC;
}

static uint64_t add_section(uint64_t h, const struct code_elf *e, const Elf64_Shdr *s)
{
    h = hash_number(h, s->sh_type);
    h = hash_number(h, s->sh_flags);
    h = hash_number(h, s->sh_addr);
    h = hash_number(h, s->sh_size);
    if (s->sh_type == SHT_NOBITS || s->sh_offset > e->n || s->sh_size > e->n - s->sh_offset)
        return h;
    return hash_bytes(h, e->bytes + s->sh_offset, s->sh_size);
}

static uint64_t sections_hash(const struct code_elf *e)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < e->nsections; i++) {
        Elf64_Shdr s;
        const uint64_t at = e->sections + (uint64_t)i * sizeof s;
        if (at > e->n || sizeof s > e->n - at)
            break;
        memcpy(&s, e->bytes + at, sizeof s);
        if ((s.sh_flags & SHF_ALLOC) && !is_table(s.sh_type))
            h = add_section(h, e, &s);
    }
    return h;
}

/* Adds up the hashes of the symbols: the order of the table depends on the name of the module's
 * mark, which is left out. */
static uint64_t symbols_hash(struct code_elf *e)
{
    static const char mark[] = "__hip_cuid_";
    struct code_symbols all;
    struct code_symbol s;
    uint64_t sum = 0;
    if (!code_symbols_open(&all, e, CODE_SYMBOLS_DYNAMIC))
        return 0;
    while (code_symbols_next(&all, &s))
        if (strncmp(s.name, mark, sizeof mark - 1) != 0)
            sum += hash_number(hash_number(hash_text(s.type, s.name), s.address), s.size);
    return sum;
}

uint64_t code_object_hash(const struct code_object *c)
{
    struct code_elf e;
    uint64_t h = hash_text(0, c->isa);
    if (code_elf_open(&e, c->elf, c->elf_size)) {
        h = hash_number(h, e.flags);
        h = hash_number(h, sections_hash(&e));
        h = hash_number(h, symbols_hash(&e));
    }
    return h ? h : 1;
}
