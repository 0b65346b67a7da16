#include "backends/unwind/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "backends/unwind/unwind_impl.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"

enum { FILES_OPEN_MAX = 256, RULES_MAX = 32768, OPS_MAX = 64 };

enum rule_kind {
    RULE_SAME,
    RULE_UNDEFINED,
    RULE_AT_CFA, /* saved at address CFA + offset */
    RULE_IS_CFA, /* the value is CFA + offset */
    RULE_EXPRESSION,
};

struct rule {
    uint8_t kind; /* enum rule_kind */
    uint8_t nops;
    int32_t offset;
    const Dwarf_Op *ops;
};

/* The rules for one address. */
struct frame_rules {
    uint64_t address;
    uint32_t file;
    bool used, found, signal;
    uint8_t cfa_reg; /* if cfa.kind is RULE_AT_CFA: the CFA is this register + offset */
    struct rule cfa, reg[CFI_REGS];
};

struct cfi_file {
    uint32_t file;
    int fd;
    Elf *elf;
    Dwarf *dwarf;
    Dwarf_CFI *eh, *debug;
};

struct cfi {
    struct cfi_file files[FILES_OPEN_MAX];
    size_t nfiles;
    struct frame_rules *rules;
    size_t nrules, rules_cap;
    struct hash_table by_address;
    struct arena arena; /* operations of rules */
    size_t bytes;       /* bytes of these and of the sections that libelf read */
};

bool cfi_read(const struct cfi_state *s, uint64_t address, uint64_t *out)
{
    *out = 0;
    if (address < s->stack_at || s->stack_size < sizeof *out ||
        address - s->stack_at > s->stack_size - sizeof *out)
        return s->more && s->more(s->ctx, address, out);
    memcpy(out, s->stack + (address - s->stack_at), sizeof *out);
    return true;
}

/* --- files --- */

/* The vDSO is the same in every process, so ours is used. */
static Elf *open_vdso(void)
{
    const unsigned char *image = (const unsigned char *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
    Elf64_Ehdr h;
    if (!image)
        return NULL;
    memcpy(&h, image, sizeof h);
    size_t size = (size_t)h.e_shoff + (size_t)h.e_shnum * h.e_shentsize;
    return elf_memory((char *)image, size); /* only read */
}

/* The size of the sections that libelf reads into memory for the rules. */
static size_t frame_bytes(Elf *elf)
{
    size_t bytes = 0, names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return 0;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr h;
        const char *name = gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;
        if (name && (strncmp(name, ".eh_frame", 9) == 0 || strcmp(name, ".debug_frame") == 0))
            bytes += h.sh_size;
    }
    return bytes + bytes * 2 / 3; /* libdw needs this much if every entry is read */
}

static struct cfi_file *open_cfi_file(struct cfi *c, uint32_t file, const char *path)
{
    for (size_t i = 0; i < c->nfiles; i++)
        if (c->files[i].file == file)
            return &c->files[i];
    if (c->nfiles == FILES_OPEN_MAX || cfi_memory(c) > CFI_BYTES_MAX)
        cfi_reset(c);
    struct cfi_file *f = &c->files[c->nfiles++];
    *f = (struct cfi_file){.file = file, .fd = -1};
    elf_version(EV_CURRENT);
    if (file == CFI_VDSO) {
        f->elf = open_vdso();
    } else {
        /* Not mapped: if the file were truncated, reading would raise SIGBUS. */
        f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        f->elf = f->fd >= 0 ? elf_begin(f->fd, ELF_C_READ, NULL) : NULL;
    }
    if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || gelf_getclass(f->elf) != ELFCLASS64)
        return f;
    f->eh = dwarf_getcfi_elf(f->elf);
    f->dwarf = f->eh ? NULL : dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
    f->debug = f->dwarf ? dwarf_getcfi(f->dwarf) : NULL; /* owned by the Dwarf */
    c->bytes += frame_bytes(f->elf);
    return f;
}

static void close_cfi_file(struct cfi_file *f)
{
    if (f->eh)
        dwarf_cfi_end(f->eh);
    if (f->dwarf)
        dwarf_end(f->dwarf);
    if (f->elf)
        elf_end(f->elf);
    if (f->fd >= 0)
        close(f->fd);
}

/* --- rules --- */

static void keep_ops(struct cfi *c, struct rule *r, const Dwarf_Op *ops, size_t n)
{
    if (n > OPS_MAX) {
        r->kind = RULE_UNDEFINED;
        return;
    }
    Dwarf_Op *own = arena_alloc(&c->arena, (n ? n : 1) * sizeof *own);
    c->bytes += (n ? n : 1) * sizeof *own;
    if (n)
        memcpy(own, ops, n * sizeof *own);
    *r = (struct rule){.kind = RULE_EXPRESSION, .nops = (uint8_t)n, .ops = own};
}

static bool fits_offset(uint64_t offset)
{
    return (int64_t)offset >= INT32_MIN && (int64_t)offset <= INT32_MAX;
}

static void read_register(struct cfi *c, Dwarf_Frame *frame, int reg, struct rule *r)
{
    Dwarf_Op mem[3], *ops;
    size_t n;
    *r = (struct rule){.kind = RULE_UNDEFINED};
    if (dwarf_frame_register(frame, reg, mem, &ops, &n) != 0)
        return;
    if (n == 0) {
        r->kind = ops ? RULE_UNDEFINED : RULE_SAME;
        return;
    }
    uint64_t offset = n > 1 && ops[1].atom == DW_OP_plus_uconst ? ops[1].number : 0;
    bool plain = ops[0].atom == DW_OP_call_frame_cfa && fits_offset(offset) &&
                 (n == 1 || (n == 2 && ops[1].atom == DW_OP_plus_uconst));
    bool value = ops[0].atom == DW_OP_call_frame_cfa && fits_offset(offset) &&
                 ops[n - 1].atom == DW_OP_stack_value &&
                 (n == 2 || (n == 3 && ops[1].atom == DW_OP_plus_uconst));
    if (plain || value)
        *r = (struct rule){.kind = plain ? RULE_AT_CFA : RULE_IS_CFA, .offset = (int32_t)offset};
    else
        keep_ops(c, r, ops, n);
}

static void read_rules(struct cfi *c, struct cfi_file *f, struct frame_rules *out)
{
    Dwarf_Frame *frame = NULL;
    Dwarf_CFI *cfi = f->eh ? f->eh : f->debug;
    Dwarf_Op *ops;
    size_t n;
    bool signal = false;
    if (!cfi || dwarf_cfi_addrframe(cfi, out->address, &frame) != 0)
        return;
    if (dwarf_frame_cfa(frame, &ops, &n) == 0 && n > 0 &&
        dwarf_frame_info(frame, NULL, NULL, &signal) >= 0) {
        out->found = true;
        out->signal = signal;
        if (n == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < CFI_REGS &&
            fits_offset(ops[0].number2)) {
            out->cfa = (struct rule){.kind = RULE_AT_CFA, .offset = (int32_t)ops[0].number2};
            out->cfa_reg = (uint8_t)ops[0].number;
        } else {
            keep_ops(c, &out->cfa, ops, n);
        }
        for (int r = 0; r < CFI_REGS; r++)
            read_register(c, frame, r, &out->reg[r]);
    }
    free(frame);
}

/* Valid until the next call. */
static const struct frame_rules *rules_at(struct cfi *c, uint32_t file, const char *path,
                                          uint64_t address)
{
    if (c->nrules >= RULES_MAX)
        cfi_reset(c);
    uint64_t hash = hash_number(file, address);
    HASH_EACH (&c->by_address, hash, i)
        if (c->rules[i].address == address && c->rules[i].file == file)
            return &c->rules[i];
    struct cfi_file *f = open_cfi_file(c, file, path); /* may drop all rules */
    hash_table_add(&c->by_address, hash, c->nrules);
    LIST_ROOM(c->rules, c->nrules, c->rules_cap);
    struct frame_rules *new = &c->rules[c->nrules++];
    *new = (struct frame_rules){.address = address, .file = file};
    read_rules(c, f, new);
    return new;
}

/* --- stepping --- */

static bool apply_cfi_rule(const struct rule *r, const struct cfi_state *s, int reg, uint64_t cfa,
                           uint64_t *out)
{
    bool value = false;
    uint64_t at = cfa + (uint64_t)(int64_t)r->offset;
    switch (r->kind) {
    case RULE_SAME:
        *out = s->reg[reg];
        return s->known >> reg & 1;
    case RULE_AT_CFA:
        return cfi_read(s, at, out);
    case RULE_IS_CFA:
        *out = at;
        return true;
    case RULE_EXPRESSION:
        if (!cfi_eval(r->ops, r->nops, s, cfa, &cfa, &at, &value))
            return false;
        *out = at;
        return value || cfi_read(s, at, out);
    default:
        return false;
    }
}

static bool compute_cfa(const struct frame_rules *f, const struct cfi_state *s, uint64_t *cfa)
{
    bool value;
    if (f->cfa.kind != RULE_AT_CFA)
        return cfi_eval(f->cfa.ops, f->cfa.nops, s, 0, NULL, cfa, &value);
    *cfa = s->reg[f->cfa_reg] + (uint64_t)(int64_t)f->cfa.offset;
    return s->known >> f->cfa_reg & 1;
}

enum cfi_result cfi_step(struct cfi *c, uint32_t file, const char *path, uint64_t address,
                         struct cfi_state *s, bool *signal)
{
    const struct frame_rules *f = rules_at(c, file, path, address);
    uint64_t cfa;
    if (!f->found)
        return CFI_UNKNOWN;
    *signal = f->signal;
    if (f->reg[CFI_RETURN].kind == RULE_UNDEFINED)
        return CFI_OUTERMOST;
    if (!compute_cfa(f, s, &cfa))
        return CFI_FAILED;
    struct cfi_state new = *s;
    new.known = 0;
    for (int r = 0; r < CFI_REGS; r++)
        if (apply_cfi_rule(&f->reg[r], s, r, cfa, &new.reg[r]))
            new.known |= 1ull << r;
    if (!(new.known >> CFI_RETURN & 1))
        return CFI_FAILED;
    new.reg[CFI_PC] = new.reg[CFI_RETURN];
    new.known |= 1ull << CFI_PC;
    /* the usual case: the value is where the caller's frame begins */
    if (f->reg[CFI_SP].kind == RULE_SAME) {
        new.reg[CFI_SP] = cfa;
        new.known |= 1ull << CFI_SP;
    }
    *s = new;
    return CFI_STEPPED;
}

/* --- making and freeing --- */

struct cfi *cfi_new(void)
{
    return xcalloc(1, sizeof(struct cfi));
}

void cfi_reset(struct cfi *c)
{
    for (size_t i = 0; i < c->nfiles; i++)
        close_cfi_file(&c->files[i]);
    hash_table_clear(&c->by_address);
    arena_free(&c->arena);
    c->nfiles = c->nrules = c->bytes = 0;
}

size_t cfi_memory(const struct cfi *c)
{
    return c->bytes + c->rules_cap * sizeof *c->rules + hash_table_memory(&c->by_address);
}

void cfi_free(struct cfi *c)
{
    if (!c)
        return;
    cfi_reset(c);
    free(c->rules);
    hash_table_free(&c->by_address);
    free(c);
}
