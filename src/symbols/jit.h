/* perf-<pid>.map: what run-time compilers say of the code they made. One line a function: its
 * address and size in hexadecimal digits, then its name. */
#ifndef ROOFTOP_SYMBOLS_JIT_H
#define ROOFTOP_SYMBOLS_JIT_H

#include "symbols/elf/strings.h"
#include "symbols/symbols.h"

struct jit_maps;
struct jit_maps *jit_maps_new(struct strings *strings); /* strings: borrowed */
void jit_maps_free(struct jit_maps *m);
/* As symbols_jit. */
bool jit_maps_find(struct jit_maps *m, pid_t pid, uint64_t ip, struct symbol_frame *out);
size_t jit_maps_memory(const struct jit_maps *m);

#endif
