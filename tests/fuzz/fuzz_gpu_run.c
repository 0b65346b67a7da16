/* Manifests of rooftop gpu profile, and lists of counters ('C', a digit for the architecture, the
 * list). What was read is written, and reading that gives the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/profiler/gpu_counters.h"
#include "engine/profiler/gpu_run.h"

static void plan(const uint8_t *data, size_t size)
{
    static const char *const archs[] = {"gfx90a", "gfx942:xnack-", "gfx950", "gfx1100", "gfx803"};
    struct arena memory = {0};
    struct counter_plan p;
    struct error err = ERROR_INIT;
    char *list = calloc(1, size);
    if (!list)
        abort();
    memcpy(list, data + 1, size - 1);
    const char *arch = archs[data[0] % 5];
    if (gpu_counters_plan(&p, &memory, list, arch, &err) == 0)
        for (uint32_t i = 0; i < p.npasses; i++)
            for (uint32_t k = 0; k < p.passes[i].n; k++)
                if (!gpu_counter_block(p.passes[i].names[k], gpu_family(arch)))
                    abort();
    gpu_counters_check(list, &err);
    arena_free(&memory);
    free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gpu_run a, b;
    struct error err = ERROR_INIT;
    uint32_t n;
    if (size > 2 && data[0] == 'C') {
        plan(data + 1, size - 1);
        return 0;
    }
    if (gpu_run_parse(&a, (const char *)data, size, "profile.json", &err) == 0) {
        gpu_run_files(&a, "folder", RUN_COUNTERS, &n);
        char *text = gpu_run_json(&a);
        if (gpu_run_parse(&b, text, strlen(text), "again", &err) != 0 || b.npasses != a.npasses ||
            b.state != a.state)
            abort();
        char *again = gpu_run_json(&b);
        if (strcmp(text, again) != 0)
            abort();
        gpu_run_free(&b);
        free(text);
        free(again);
    }
    gpu_run_free(&a);
    return 0;
}
