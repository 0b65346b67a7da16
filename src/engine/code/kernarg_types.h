/* What the source calls the types of a kernel's arguments. */
#ifndef ROOFTOP_ENGINE_CODE_KERNARG_TYPES_H
#define ROOFTOP_ENGINE_CODE_KERNARG_TYPES_H

#include "base/arena.h"
#include "engine/code/code_object.h"

/* One for each of k->nexplicit: from the metadata, else from the parameters in its demangled name
 * where those are as many; "" where neither tells. In the arena, or k's. */
void kernarg_types(const struct code_kernel *k, const char **types, struct arena *arena);

#endif
