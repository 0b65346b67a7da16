/* Any bytes as results of a benchmark; what is read must be positive times with names. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bench/results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bench_results r;
    struct error err = ERROR_INIT;
    char *text = malloc(size + 1); /* not terminated: the reader must keep to the size */
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    if (bench_results_read(&r, "fuzz", text, size, &err) != 0) {
        if (err.kind != ERROR_INPUT || !*err.why)
            abort();
    } else if (r.n == 0 || !r.tool)
        abort();
    for (size_t i = 0; i < r.n; i++) {
        if (!*r.list[i].name || !(r.list[i].value > 0) || !isfinite(r.list[i].value))
            abort();
        for (size_t k = 0; k < r.list[i].n; k++)
            if (!(r.list[i].v[k] > 0) || !isfinite(r.list[i].v[k]))
                abort();
    }
    bench_results_free(&r);
    free(text);
    return 0;
}
