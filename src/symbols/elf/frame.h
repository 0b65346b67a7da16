/* A function at an address in code. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct symbol_frame {
    const char *name; /* demangled */
    /* source of this address, or, around inlined code, of the call; NULL unknown */
    const char *file;
    int line;              /* 0: unknown */
    int decl_line;         /* line where the function begins; 0: unknown */
    const char *decl_file; /* NULL: unknown */
    /* the part of the function that holds the address; 0 for inlined functions */
    uint64_t address, size;
    bool inlined;
};
