#include <stddef.h>

#include "engine/live/source.h"

extern const struct source_ops source_command;
extern const struct source_ops source_proc;
extern const struct source_ops source_perf;
extern const struct source_ops source_sampler;
extern const struct source_ops source_usdt; /* before "brick", which shows what it writes */
extern const struct source_ops source_brick;
extern const struct source_ops source_amdgpu;
extern const struct source_ops source_nvidia;
extern const struct source_ops source_hsa; /* after those whose GPUs it adds to */

const struct source_ops *const backends[] = {
    &source_command, &source_proc,   &source_perf,   &source_sampler, &source_usdt,
    &source_brick,   &source_amdgpu, &source_nvidia, &source_hsa,     NULL,
};
