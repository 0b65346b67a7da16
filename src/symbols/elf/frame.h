/* What is known of one address in code. */
#ifndef ROOFTOP_SYMBOLS_ELF_FRAME_H
#define ROOFTOP_SYMBOLS_ELF_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct symbol_frame {
    const char *name;       /* demangled */
    const char *file;       /* source of this very address (of the call, in an inlining function);
                               NULL unknown */
    int line;               /* 0 unknown */
    int decl_line;          /* where the function begins; 0 unknown */
    const char *decl_file;  /* NULL unknown */
    uint64_t address, size; /* of the piece of the function that holds the address; 0 for inlined */
    bool inlined;
};

#endif
