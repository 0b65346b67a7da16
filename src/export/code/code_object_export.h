/* A code object as text for people and as JSON for programs. */
#ifndef ROOFTOP_EXPORT_CODE_CODE_OBJECT_EXPORT_H
#define ROOFTOP_EXPORT_CODE_CODE_OBJECT_EXPORT_H

#include <stdio.h>

#include "engine/code/code_object.h"
#include "symbols/source/disassemble.h"

struct code_listing {
    const struct code_object *object;
    const struct code_kernel *only; /* NULL: all kernels */
    /* Of each kernel of the object, or NULL: not asked for. Entries NULL: why[i] says why. */
    struct disassembly *const *code;
    const char *const *why;
};

void code_object_export_text(FILE *out, const struct code_listing *l);
/* schema rooftop.code-object/1: docs/CODE_OBJECTS.md. What is not known is null. */
void code_object_export_json(FILE *out, const struct code_listing *l);

#endif
