/* Any bytes as gpu_metrics; what is read must be numbers that can be shown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/amdgpu/amdgpu_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct metrics m;
    struct error err = ERROR_INIT;
    char text[64];
    if (metrics_parse(&m, data, size, "fuzz", &err) != 0) {
        if (err.kind != ERROR_INPUT || !*err.why)
            abort();
        return 0;
    }
    if (m.size > size)
        abort();
    for (int f = 0; f < METRICS_FIELDS; f++)
        if (m.has[f] && (!isfinite(m.v[f]) || m.v[f] < 0))
            abort();
    for (int f = METRICS_ACC_PROCHOT; f <= METRICS_ACC_HBM_TEMP; f++) {
        double share = metrics_residency(&m, &m, (enum metrics_field)f);
        if (!(share <= 100))
            abort();
    }
    metrics_throttle_text(m.raw[METRICS_THROTTLE_COMMON], text, sizeof text);
    if (strlen(text) >= sizeof text)
        abort();
    return 0;
}
