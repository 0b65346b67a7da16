#include "engine/gpu_work.h"

#include <math.h>

void gpu_work_of(struct gpu_work *out, const struct trace *t, uint32_t dispatch)
{
    (void)t, (void)dispatch;
    out->missing = 0;
    for (int u = 0; u < WORK_UNITS; u++)
        for (int i = 0; i < WORK_TYPES; i++)
            out->ops[u][i] = NAN;
    for (int l = 0; l < WORK_LEVELS; l++)
        out->bytes[l] = NAN;
}
