/* Linux's symbols, from /proc/kallsyms. */
#ifndef ROOFTOP_SYMBOLS_KERNEL_H
#define ROOFTOP_SYMBOLS_KERNEL_H

#include "base/strings.h"
#include "symbols/symbols.h"

struct kernel_symbols;
struct kernel_symbols *kernel_symbols_new(struct strings *strings); /* strings is borrowed */
void kernel_symbols_free(struct kernel_symbols *k);
/* Like symbols_kernel. */
bool kernel_symbols_find(struct kernel_symbols *k, uint64_t ip, struct symbol_frame *out,
                         const char **module);
size_t kernel_symbols_memory(const struct kernel_symbols *k);

#endif
