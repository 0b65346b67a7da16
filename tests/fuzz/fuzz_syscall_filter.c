/* Any text as an expression for --calls: it is refused with a place and a help, or it answers for
 * every call. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/syscalls/calls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[512];
    struct error err = ERROR_INIT;
    size_t n = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, n);
    text[n] = 0;
    struct syscall_filter *f = syscall_filter_parse(text, &err);
    if (!f) {
        if (err.kind != ERROR_USAGE || !err.what[0] || !err.why[0] || !err.help[0])
            abort();
        return 0;
    }
    for (unsigned abi = 0; abi < SYSCALL_ABIS; abi++)
        for (uint32_t number = 0; number < 700; number++)
            syscall_filter_wants(f, abi, number);
    syscall_filter_free(f);
    return 0;
}
