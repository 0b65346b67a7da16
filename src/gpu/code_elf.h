/*
 * Reads the ELF file of a GPU's code object in place: symbols, sections and the note with its
 * metadata. Allocates nothing and calls nothing that does, because it also runs inside other
 * programs. Supported: 64 bits, little endian, linked (ET_DYN), AMD GPUs under HSA, code object
 * versions 3 and later. Sources: the ELF specification; LLVM's "User Guide for AMDGPU Backend", ELF
 * Code Object.
 */
#pragma once

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
    const char *bad; /* the error, as a clause; NULL: none */
    size_t at;       /* byte offset of the error */
};

/* Checks the header. False: not such a file, see e->bad. bytes must outlive e. */
bool code_elf_open(struct code_elf *e, const void *bytes, size_t n);
/* The same for a file that the runtime has already loaded, of any version, even 2; version and
 * flags stay 0. */
bool code_elf_open_loaded(struct code_elf *e, const void *bytes, size_t n);

enum { CODE_NAME_MAX = 1 << 14 }; /* symbols with longer names are skipped */

struct code_symbol {
    const char *name; /* in place, terminated */
    uint64_t address; /* as linked; the loader adds its load address */
    uint64_t size;
    unsigned char type; /* STT_OBJECT, STT_FUNC */
    bool global;        /* the runtime finds it by name */
    bool writable;      /* its section is writable */
    bool zero;          /* no bytes in the file: .bss */
    uint64_t offset;    /* where its bytes are in the file, unless `zero` */
};
enum code_symbol_kind { CODE_SYMBOLS_DYNAMIC, CODE_SYMBOLS_ALL };
struct code_symbols {
    const struct code_elf *elf;
    uint64_t at, end, names, names_end; /* offsets: the rest of the table, and its string table */
};
/* CODE_SYMBOLS_DYNAMIC: .dynsym; CODE_SYMBOLS_ALL: .symtab, which also has local symbols. False:
 * there is no such table, or it exceeds the file (e->bad). */
bool code_symbols_open(struct code_symbols *s, struct code_elf *e, enum code_symbol_kind kind);
/* Returns the next symbol that is defined in a section. False: no more. Symbols that exceed the
 * file are skipped. */
bool code_symbols_next(struct code_symbols *s, struct code_symbol *out);

/* The n bytes of the file that are loaded at the address; NULL if there are none. */
const uint8_t *code_elf_loaded(const struct code_elf *e, uint64_t address, uint64_t n);
/* The metadata note, in MessagePack. False: there is none, or (e->bad) it exceeds the file. */
bool code_elf_metadata(struct code_elf *e, const uint8_t **bytes, size_t *n);
