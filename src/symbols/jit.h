/*
 * Reads perf-<pid>.map, in which run-time compilers describe the code that they made. One line for
 * each function: address and size in hexadecimal digits, then the name.
 */
#ifndef ROOFTOP_SYMBOLS_JIT_H
#define ROOFTOP_SYMBOLS_JIT_H

#include "base/strings.h"
#include "symbols/symbols.h"

struct jit_maps;
struct jit_maps *jit_maps_new(struct strings *strings); /* strings is borrowed */
void jit_maps_free(struct jit_maps *m);
/* Like symbols_jit. */
bool jit_maps_find(struct jit_maps *m, pid_t pid, uint64_t ip, struct symbol_frame *out);
size_t jit_maps_memory(const struct jit_maps *m);

#endif
