/* progress.json of a run of the optimiser: any text is read or refused; what is read is in range.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/optimize/optimize_progress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct optimize_progress p;
    struct error err = ERROR_INIT;
    if (optimize_progress_parse(&p, (const char *)data, size, "f", &err) != 0)
        return 0;
    if (p.stage >= OPTIMIZE_STAGES || p.step >= OPTIMIZE_STEPS ||
        !memchr(p.proposer, '\0', sizeof p.proposer))
        abort();
    return 0;
}
