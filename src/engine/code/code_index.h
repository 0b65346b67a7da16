/* The symbols of a code object by name, for facts that its metadata lacks. */
#ifndef ROOFTOP_ENGINE_CODE_CODE_INDEX_H
#define ROOFTOP_ENGINE_CODE_CODE_INDEX_H

#include "engine/code/code_object.h"
#include "gpu/code_elf.h"

struct code_index {
    const struct code_elf *elf; /* borrowed */
    struct code_symbol *rows;   /* sorted by name, each name once; a global symbol is preferred */
    size_t n;
};

/* false if the symbols cannot be read; e->bad says why. */
bool code_index_read(struct code_index *x, struct code_elf *e);
void code_index_free(struct code_index *x);
/* Fills k's descriptor and the size of its code, by k's symbol. */
void code_index_kernel(const struct code_index *x, struct code_kernel *k);
/* Fills c's variables. */
int code_index_variables(const struct code_index *x, struct code_object *c, struct error *err);

#endif
