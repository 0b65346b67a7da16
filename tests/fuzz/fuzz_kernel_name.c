/* Any name of a kernel: it is shortened to the given room. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/code/kernel_name.h"

static void check(const char *name, size_t room)
{
    /* of exactly this size, so that a sanitizer notices writes beyond its end */
    char *out = malloc(room);
    if (!out)
        return;
    const char *base = kernel_base_name(name, out, room);
    if (base != name && (base != out || strnlen(out, room) == room))
        __builtin_trap();
    const char *full = kernel_full_name(name, out, room);
    if (full != name && (full != out || strnlen(out, room) == room))
        __builtin_trap();
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = calloc(1, size + 1);
    if (!name)
        return 0;
    memcpy(name, data, size);
    check(name, 4096);
    check(name, 256);
    free(name);
    return 0;
}
