/* Logs of the optimiser: any text is read or refused. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/optimize/optimize_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct optimize_log l;
    struct error err = ERROR_INIT;
    if (optimize_log_parse(&l, (const char *)data, size, "f", &err) == 0 &&
        l.whole + l.partial != size)
        abort();
    optimize_log_free(&l);
    return 0;
}
