/* Demangles any name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char out[1024], *name = calloc(1, size + 1);
    if (!name)
        return 0;
    memcpy(name, data, size);
    const char *text = demangle(name, out, sizeof out);
    if (text == out && strnlen(out, sizeof out) == sizeof out)
        __builtin_trap();
    /* adds the beginnings of Rust's forms, which few inputs have */
    if (size > 2) {
        name[0] = '_';
        name[1] = 'R';
        demangle(name, out, sizeof out);
    }
    free(name);
    return 0;
}
