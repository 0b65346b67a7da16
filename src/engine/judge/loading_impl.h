/* A shared object as bytes that nobody trusts, by its program headers, as ld.so reads it. */
#ifndef ROOFTOP_ENGINE_JUDGE_LOADING_IMPL_H
#define ROOFTOP_ENGINE_JUDGE_LOADING_IMPL_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/judge/judge.h"

struct loading {
    const unsigned char *bytes;
    size_t n, page;
    Elf64_Ehdr head;
    uint64_t dynamic, ndynamic;          /* where it is in the file; entries before DT_NULL */
    uint64_t dynamic_from, dynamic_size; /* where it is loaded */
    struct judge_refusal *refused;
};

/* Takes an object whose program headers are as linkers write them. 0, or 1 with *refused. */
int loading_open(struct loading *o, const unsigned char *bytes, size_t n,
                 struct judge_refusal *refused);
int loading_unknown(const struct loading *o, const char *what); /* refuses it; 1 */
Elf64_Dyn loading_entry(const struct loading *o, uint64_t i);
/* The value of a tag; 0: there is none. */
uint64_t loading_value(const struct loading *o, Elf64_Sxword tag);
/* Where n loaded bytes, which nobody writes, are in the file; NULL: they are not. */
const unsigned char *loading_fixed(const struct loading *o, uint64_t address, uint64_t n);
/* How many bytes of the file, which nobody writes, begin at an address. */
uint64_t loading_room(const struct loading *o, uint64_t address);
/* Where the pointer at an address leads once the object is loaded, by a relocation to the object
 * itself; 0: no relocation says that. */
uint64_t loading_pointer(const struct loading *o, uint64_t address);
/* Relocations stay within the object's own data, and no symbol is a function that finds one. */
int loading_check_relocations(const struct loading *o);
int loading_check_symbols(const struct loading *o, uint64_t named);

#endif
