/* The types of a kernel's arguments as its source names them. */
#pragma once

#include "base/arena.h"
#include "engine/code/code_object.h"

/* Sets types[0..k->nexplicit): from the metadata, else from the parameters in the demangled name if
 * their number fits, else "". The texts belong to the arena or to k. */
void kernarg_types(const struct code_kernel *k, const char **types, struct arena *arena);
