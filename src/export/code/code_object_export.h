/* A code object as text for people and as JSON for programs. */
#pragma once

#include <stdio.h>

#include "engine/code/code_object.h"
#include "export/brief.h"
#include "symbols/source/disassemble.h"

struct code_listing {
    const struct code_object *object;
    const struct code_kernel *only; /* show only this kernel; NULL: all */
    /* The disassembly of each kernel in the object, or NULL: not wanted. If an entry is NULL,
     * why[i] is the reason. */
    struct disassembly *const *code;
    const char *const *why;
};

void code_object_export_text(FILE *out, const struct code_listing *l);
/* A row of the short answer: its registers. */
void code_object_brief_kernel(struct brief *b, const struct code_kernel *k);
extern const struct fields code_object_record; /* of a struct code_listing */
/* Schema rooftop.code-object/1: docs/CODE_OBJECTS.md. Unknown values are null. */
void code_object_export_json(FILE *out, const struct code_listing *l);
