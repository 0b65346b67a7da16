/* Harnesses of the judge: any text is read or refused, and what was read can be filled. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/judge/harness.h"
#include "engine/judge/judge_inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct harness h;
    struct error err = ERROR_INIT;
    if (harness_parse(&h, (const char *)data, size, "f", &err) != 0)
        return 0;
    for (size_t i = 0; i < harness_buffers(&h); i++) {
        const size_t n = judge_bytes(&h.arguments[i]);
        if (n == 0 || n > 4096)
            continue;
        void *values = xcalloc(1, n);
        for (int d = 0; d < JUDGE_DISTRIBUTIONS; d++)
            judge_fill(&h.arguments[i], i, (enum judge_distribution)d, size, values);
        free(values);
    }
    return 0;
}
