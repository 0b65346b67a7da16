/* perf-<pid>.map with any bytes, read in pieces as it grows. */
#include <string.h>

#include "symbols/symbols_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jit_map m = {0};
    const char *text = (const char *)data;
    uint64_t address, length;
    for (size_t at = 0, end = size / 3; at < size; end = size) {
        size_t taken = jit_map_add(&m, text + at, end - at);
        for (uint64_t ip = 0; ip < 0x4000; ip += 0x333) {
            const char *name = jit_map_find(&m, ip, &address, &length);
            if (name && (ip < address || ip - address >= length || strlen(name) == 0))
                __builtin_trap();
        }
        jit_map_find(&m, UINT64_MAX, &address, &length);
        at += taken;
        if (end == size)
            break;
    }
    jit_map_free(&m);
    return 0;
}
