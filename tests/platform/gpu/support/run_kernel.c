#include "support/run_kernel.h"

void run_kernel(struct gpu *gpu, const struct launch *l, const struct arguments *a)
{
    struct module module;
    gpu_load(gpu, &module, l->file, l->level);
    const struct kernel kernel = gpu_kernel(gpu, &module, l->name);
    if (!gpu_run(gpu, &kernel, a, l->grid, l->group, l->dynamic_lds, MOST_SECONDS))
        gpu_fail(__FILE__, __LINE__,
                 "%s at -O%d does not complete; queue error %#x, memory fault at %#lx", l->name,
                 l->level, (unsigned)gpu->queue_error, (unsigned long)gpu->fault_address);
    gpu_unload(&module);
}
