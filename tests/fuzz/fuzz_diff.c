/* Diffs of proposers: any bytes are applied to the text before the first 0, or refused. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/optimize/diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = ERROR_INIT;
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    const size_t n = zero ? (size_t)(zero - data) : 0, diff = zero ? n + 1 : 0;
    char *out = NULL;
    size_t n_out = 0;
    if (diff_apply("x.c", (const char *)data, n, (const char *)data + diff, size - diff, 1 << 16,
                   &out, &n_out, &err) == 0 &&
        (n_out > 1 << 16 || strlen(out) != n_out))
        abort();
    free(out);
    return 0;
}
