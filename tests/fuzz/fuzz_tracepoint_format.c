/* Any bytes as the text that says where the fields of a tracepoint lie, and as a record. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_event/tracepoint_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"ctx", "req", "user_data", "opcode", "flags", "res"};
    char *exact = malloc(size ? size : 1); /* a sanitizer notices reads beyond its end */
    if (!exact)
        return 0;
    memcpy(exact, data, size);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct tracepoint_field f;
        const bool found = tracepoint_field_find(exact, size, names[i], &f);
        if (found != (f.size != 0) || f.size > 8)
            abort();
        const uint64_t v = tracepoint_field_of(&f, exact, size);
        if (v && (size_t)f.offset + f.size > size)
            abort();
    }
    free(exact);
    return 0;
}
