/* The symbols of a code object by name, for what metadata does not tell. */
#ifndef ROOFTOP_ENGINE_CODE_CODE_INDEX_H
#define ROOFTOP_ENGINE_CODE_CODE_INDEX_H

#include "engine/code/code_object.h"
#include "gpu/code_elf.h"

struct code_index {
    const struct code_elf *elf; /* borrowed */
    struct code_symbol *rows;   /* by name, each name once; of several the global one */
    size_t n;
};

/* False: e->bad says why. */
bool code_index_read(struct code_index *x, struct code_elf *e);
void code_index_free(struct code_index *x);
/* Fills k's descriptor and the size of its code, by k's symbol. */
void code_index_kernel(const struct code_index *x, struct code_kernel *k);
/* Fills c's variables. */
int code_index_variables(const struct code_index *x, struct code_object *c, struct error *err);

#endif
