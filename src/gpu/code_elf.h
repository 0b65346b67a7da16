/*
 * The ELF file that a GPU's code object is: symbols, sections and the note with its metadata, in
 * place. Allocates nothing and calls nothing that does: it also runs inside other people's
 * programs. 64 bits, little endian, linked (ET_DYN), AMD's GPUs under HSA; code object versions 3
 * and later. Facts: the ELF specification; LLVM's "User Guide for AMDGPU Backend", ELF Code Object.
 */
#ifndef ROOFTOP_GPU_CODE_ELF_H
#define ROOFTOP_GPU_CODE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_elf {
    const uint8_t *bytes; /* borrowed */
    size_t n;
    unsigned version; /* of the code object: 3, 4, 5, 6 */
    uint32_t flags;   /* e_flags */
    uint64_t sections, segments;
    uint32_t nsections, nsegments;
    const char *bad; /* what was wrong, a clause; NULL */
    size_t at;       /* where in bytes */
};

/* Checks the header. False: not such a file, and why. bytes must outlive e. */
bool code_elf_open(struct code_elf *e, const void *bytes, size_t n);

enum { CODE_NAME_MAX = 1 << 14 }; /* symbols with longer names are left out */

struct code_symbol {
    const char *name; /* in place, terminated */
    uint64_t address; /* as linked; the loader adds where it put the file */
    uint64_t size;
    unsigned char type; /* STT_OBJECT, STT_FUNC */
    bool global;        /* what the runtime finds by name */
    bool writable;      /* its section is */
    bool zero;          /* it has no bytes in the file: .bss */
    uint64_t offset;    /* of its bytes in the file, where it has some */
};
enum code_symbol_kind { CODE_SYMBOLS_DYNAMIC, CODE_SYMBOLS_ALL };
struct code_symbols {
    const struct code_elf *elf;
    uint64_t at, end, names, names_end; /* offsets of the rest of the table, and of its texts */
};
/* CODE_SYMBOLS_DYNAMIC: .dynsym; CODE_SYMBOLS_ALL: .symtab, which has local ones too. False: there
 * is no such table, or it does not fit the file (e->bad). */
bool code_symbols_open(struct code_symbols *s, struct code_elf *e, enum code_symbol_kind kind);
/* The next that is defined in a section. False: no more. What does not fit the file is left out. */
bool code_symbols_next(struct code_symbols *s, struct code_symbol *out);
bool code_symbol_find(struct code_elf *e, const char *name, struct code_symbol *out);

/* n bytes of the file that are loaded to that address; NULL where it has none. */
const uint8_t *code_elf_loaded(const struct code_elf *e, uint64_t address, uint64_t n);
/* The metadata: MessagePack. False: there is none, or (bad) it does not fit. */
bool code_elf_metadata(struct code_elf *e, const uint8_t **bytes, size_t *n);

#endif
