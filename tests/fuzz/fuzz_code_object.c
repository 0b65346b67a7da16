/* A code object or bundle is read and printed, and its arguments are decoded and bound again. The
 * reader of the capture library must agree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/capture/kernarg.h"
#include "export/code/code_object_export.h"

enum { BUFFER = 4096 };

static void bind(const struct code_kernel *k)
{
    static const struct kernarg_region region = {0x1000, 0x1000};
    const struct kernarg_dispatch d = {.dimensions = 3,
                                       .grid = {100, 10, 1},
                                       .group = {64, 1, 1},
                                       .group_segment_size = UINT32_MAX};
    const struct kernarg_runtime r = {.queue = 1, .heap = 2};
    struct kernarg_rebound out;
    struct kernarg a;
    char text[300];
    uint32_t size = k->kernarg_size < BUFFER ? k->kernarg_size : BUFFER;
    uint8_t *buffer = calloc(1, size ? size : 1), *to = calloc(1, size ? size : 1);
    if (kernarg_rebind(k, &d, &r, buffer, size, &out, NULL) == 0 &&
        kernarg_adopt(k, buffer, size, k, to, size, NULL) != 0)
        abort();
    kernarg_decode(&a, k, buffer, size, &region, 1);
    for (uint32_t i = 0; i < a.n; i++)
        if (strlen(kernarg_format(&a.slots[i], text, sizeof text)) == 0)
            abort();
    kernarg_free(&a);
    free(buffer);
    free(to);
}

static void look(const struct code_object *c)
{
    static FILE *nowhere;
    struct code_listing l = {.object = c};
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    code_object_export_text(nowhere, &l);
    code_object_export_json(nowhere, &l);
    for (uint32_t i = 0; i < c->nkernels; i++) {
        const struct code_kernel *k = &c->kernels[i];
        bind(k);
        if (!code_object_kernel(c, k->symbol))
            abort();
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->nvariables; i++)
        for (uint64_t b = 0; c->variables[i].initial && b < c->variables[i].size; b++)
            sum += c->variables[i].initial[b]; /* reads all of it */
    fprintf(nowhere, "%llu", (unsigned long long)sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct code_object *c;
    /* of exactly this size, so that a sanitizer notices reads beyond its end */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    if (code_object_read(&c, copy, size, "fuzz", "gfx942:sramecc+:xnack-", NULL) == 0) {
        look(c);
        code_object_free(c);
    }
    free(copy);
    return 0;
}
