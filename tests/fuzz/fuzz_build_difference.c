/* Two builds, cut from any bytes: the relation is that of their hashes, and the same both ways. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/optimize/optimize_impl.h"

/* of exactly this size, so that a sanitizer notices reads beyond its end */
static uint8_t *copy_of(const uint8_t *data, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    if (!copy)
        abort();
    if (n)
        memcpy(copy, data, n);
    return copy;
}

static void look(const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
    char why[BUILD_DIFFERENCE], back[BUILD_DIFFERENCE];
    const enum build_relation said = build_compare(a, na, b, nb, why);
    if ((said == BUILD_SAME) != (*why == '\0') || said != build_compare(b, nb, a, na, back) ||
        (said == BUILD_OTHER) != (build_hash(a, na) != build_hash(b, nb)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* The first two bytes: where a byte is changed; the next two: how much is cut from the end. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 5)
        return 0;
    const size_t n = size - 4, at = (size_t)data[0] << 8 | data[1],
                 cut = (size_t)data[2] << 8 | data[3];
    uint8_t *a = copy_of(data + 4, n), *b = copy_of(data + 4, n);
    b[at % n] ^= 1;
    look(a, n, b, n);
    uint8_t *shorter = copy_of(data + 4, n - cut % n);
    look(a, n, shorter, n - cut % n);
    free(a);
    free(b);
    free(shorter);
    return 0;
}
