#include "support/make_capture.h"
#include "capture/writer/writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { KERNARG_PAGE = 4096 };

void captured_add(struct captured *c, void *memory, size_t size, bool host)
{
    c->regions[c->nregions++] = (struct captured_region){memory, size, host};
}

void *gpu_allocate_host(const struct gpu *gpu, size_t size)
{
    void *memory = NULL;
    HSA(hsa_amd_memory_pool_allocate(gpu->host, size, 0, &memory));
    HSA(hsa_amd_agents_allow_access(1, &gpu->agent, NULL, memory));
    return memory;
}

static int read_memory(void *ctx, void *to, uint64_t address, size_t size, char *why,
                       size_t why_size)
{
    (void)ctx, (void)why, (void)why_size;
    gpu_download(to, (const void *)(uintptr_t)address, size); // NOLINT(performance-no-int-to-ptr)
    return 0;
}

static int by_base(const void *a, const void *b)
{
    const uint64_t x = ((const struct writer_region *)a)->base,
                   y = ((const struct writer_region *)b)->base;
    return (x > y) - (x < y);
}

static size_t make_regions(const struct gpu *gpu, const struct captured *c,
                           struct writer_region *to)
{
    for (size_t i = 0; i < c->nregions; i++)
        to[i] = (struct writer_region){.base = (uint64_t)(uintptr_t)c->regions[i].memory,
                                       .size = c->regions[i].size,
                                       .segment = c->regions[i].host ? "host" : "device",
                                       .is_pool = true};
    to[c->nregions] = (struct writer_region){.base = (uint64_t)(uintptr_t)gpu->arguments,
                                             .size = KERNARG_PAGE,
                                             .segment = "kernarg",
                                             .is_pool = true,
                                             .contains_kernarg = true};
    qsort(to, c->nregions + 1, sizeof *to, by_base);
    return c->nregions + 1;
}

static void write_variables(struct gpu *gpu, const struct module *module, const struct captured *c,
                            struct capture_writer *w, struct writer_variable *to)
{
    for (size_t i = 0; i < c->nvariables; i++)
        to[i] = (struct writer_variable){
            .name = c->variables[i],
            .address = (uint64_t)(uintptr_t)gpu_variable(gpu, module, c->variables[i]),
            .size = c->variable_sizes[i]};
    assert_int_equal(writer_variables(w, to, c->nvariables, read_memory, NULL), 0);
}

static struct writer_dispatch describe(const struct gpu *gpu, const struct captured *c,
                                       const struct kernel *kernel)
{
    static char isa[128];
    const struct launch *l = &c->launch;
    snprintf(isa, sizeof isa, "amdgcn-amd-amdhsa--%s:sramecc+:xnack-", gpu->isa);
    return (struct writer_dispatch){
        .mangled_name = l->name,
        .demangled_name = l->name,
        .agent_name = gpu->isa,
        .isa_name = isa,
        .wavefront_size = 64,
        .grid = {l->grid.x, l->grid.y, l->grid.z},
        .block = {l->group.x, l->group.y, l->group.z},
        .group_segment_size = kernel->group_size + l->dynamic_lds,
        .private_segment_size = kernel->private_size,
        .kernel_object = kernel->object,
        .kernarg_address = (uint64_t)(uintptr_t)gpu->arguments,
        .kernarg_size = kernel->arguments_size,
        .time = "2026-01-02T03:04:05Z",
        .drained = true,
    };
}

static size_t file_size(const char *name, int level, const char *isa)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s.O%d.hsaco", getenv("ROOFTOP_GPU_KERNELS"), name, isa,
             level);
    FILE *f = fopen(path, "rbe");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    fclose(f);
    return (size_t)size;
}

void make_capture(struct gpu *gpu, struct captured *c)
{
    char why[256] = "";
    struct module module;
    const struct launch *l = &c->launch;
    struct writer_region regions[CAPTURED_REGIONS + 1];
    struct writer_variable variables[CAPTURED_VARIABLES];
    gpu_load(gpu, &module, l->file, l->level);
    const struct kernel kernel = gpu_kernel(gpu, &module, l->name);
    memset(gpu->arguments, 0, KERNARG_PAGE);
    const size_t n = make_regions(gpu, c, regions);
    struct capture_writer *w = writer_open(c->folder, 1, why, sizeof why);
    if (!w)
        gpu_fail(__FILE__, __LINE__, "%s", why);
    writer_force(w, c->zstd ? WRITER_ZSTD : WRITER_RAW);
    assert_int_equal(writer_before(w, regions, n, read_memory, NULL, NULL), 0);
    write_variables(gpu, &module, c, w, variables);
    assert_true(
        gpu_run(gpu, &kernel, &c->arguments, l->grid, l->group, l->dynamic_lds, MOST_SECONDS));
    uint8_t arguments[KERNARG_PAGE];
    memcpy(arguments, gpu->arguments, sizeof arguments);
    memset(gpu->arguments, 0, KERNARG_PAGE); // as it was read before
    if (!c->no_after)
        assert_int_equal(writer_after(w, regions, n, read_memory, NULL, NULL), 0);
    assert_int_equal(writer_code(w, arguments, kernel.arguments_size, module.bytes,
                                 file_size(l->file, l->level, gpu->isa)),
                     0);
    const struct writer_dispatch d = describe(gpu, c, &kernel);
    if (writer_finish(w, &d, regions, n, variables, c->nvariables) != 0)
        gpu_fail(__FILE__, __LINE__, "%s", writer_why(w));
    writer_close(w);
}
