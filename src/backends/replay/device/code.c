#include "backends/replay/device/device.h"

#include <stdio.h>
#include <stdlib.h>

#include "backends/replay/device/variables.h"

static const char *kernel_name_of(const struct replay_code *k)
{
    return k->path ? k->path : "the captured code object";
}

int replay_code_open(struct replay_code *k, struct replay_device *d, const struct capture *c,
                     const char *path, struct replay_failure *f)
{
    struct error err = ERROR_INIT;
    const char *isa = d->nisas ? d->isas[0] : NULL;
    *k = (struct replay_code){.d = d, .c = c, .path = path};
    const int rc =
        path ? code_object_open(&k->object, path, isa, &err)
             : code_object_read(&k->object, c->code, c->code_bytes, "kernel.hsaco", isa, &err);
    if (rc != 0)
        return replay_fail_as(f, REPLAY_CAPTURE, &err);
    if (replay_device_runs(d, k->object->isa, kernel_name_of(k), f) != 0)
        return -1;
    k->kernel = code_object_kernel(k->object, c->mangled_name);
    if (!k->kernel)
        return replay_fail(f, REPLAY_LOAD, "the name must be the captured one", kernel_name_of(k),
                           "it has no kernel %s", c->mangled_name);
    return 0;
}

/* --- loading */

static int check_step(struct replay_code *k, hsa_status_t status, const char *what,
                      struct replay_failure *f)
{
    char text[192];
    if (status == HSA_STATUS_SUCCESS)
        return 0;
    snprintf(text, sizeof text, "%s: %s", kernel_name_of(k), what);
    return replay_device_failed(k->d, status, REPLAY_LOAD, text, f);
}

static int load_executable(struct replay_code *k, struct replay_failure *f)
{
    const struct hsa_runtime *r = &k->d->r;
    int rc = check_step(
        k,
        r->code_object_reader_create_from_memory(k->object->elf, k->object->elf_size, &k->reader),
        "read it", f);
    k->has_reader = rc == 0;
    if (rc == 0)
        rc = check_step(k,
                        r->executable_create_alt(HSA_PROFILE_FULL,
                                                 HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                                 &k->executable),
                        "make an executable", f);
    k->has_executable = rc == 0;
    if (rc == 0)
        rc = check_step(
            k,
            r->executable_load_agent_code_object(k->executable, k->d->gpu, k->reader, NULL, NULL),
            "load it", f);
    return rc == 0 ? check_step(k, r->executable_freeze(k->executable, NULL), "freeze it", f) : -1;
}

/* The LDS that the kernel itself declares. */
static uint32_t fixed_group_size(const struct code_kernel *kernel)
{
    if (kernel->group_size != CODE_UNKNOWN)
        return kernel->group_size;
    return kernel->has_descriptor ? kernel->descriptor.group_size : 0;
}

static uint32_t larger_size(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static int size_dispatch(struct replay_code *k, const struct code_object *captured,
                         hsa_executable_symbol_t symbol, struct replay_failure *f)
{
    const struct hsa_runtime *r = &k->d->r;
    const struct code_kernel *original = code_object_kernel(captured, k->c->mangled_name);
    const uint32_t before = original ? fixed_group_size(original) : 0;
    const uint32_t dynamic =
        k->c->group_segment_size > before ? k->c->group_segment_size - before : 0;
    uint32_t group = 0, private = 0, kernarg = 0;
    int rc = check_step(k,
                        r->executable_symbol_get_info(
                            symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &k->kernel_object),
                        "find its kernel", f);
    r->executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                  &group);
    r->executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                  &private);
    r->executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE,
                                  &kernarg);
    k->group_size = group + dynamic;
    k->private_size = larger_size(private, k->c->private_segment_size);
    k->kernarg_size = larger_size(kernarg, (uint32_t)k->c->kernarg_size);
    if (k->kernel->kernarg_size != CODE_UNKNOWN) /* some runtimes report 0 */
        k->kernarg_size = larger_size(k->kernarg_size, k->kernel->kernarg_size);
    return rc;
}

int replay_code_load(struct replay_code *k, const struct code_object *captured,
                     struct replay_notes *notes, struct replay_failure *f)
{
    hsa_executable_symbol_t symbol;
    if (load_executable(k, f) != 0 ||
        check_step(k,
                   k->d->r.executable_get_symbol_by_name(k->executable, k->kernel->symbol,
                                                         &k->d->gpu, &symbol),
                   k->kernel->symbol, f) != 0 ||
        size_dispatch(k, captured, symbol, f) != 0)
        return -1;
    return replay_variables_find(k, notes, f);
}

int replay_code_restore(struct replay_code *k, struct replay_failure *f)
{
    return replay_variables_write(k, f);
}

void replay_code_free(struct replay_code *k)
{
    if (!k->d)
        return;
    const struct hsa_runtime *r = &k->d->r;
    replay_variables_free(k);
    if (k->kernarg)
        r->amd_memory_pool_free(k->kernarg);
    if (k->has_executable)
        r->executable_destroy(k->executable);
    if (k->has_reader)
        r->code_object_reader_destroy(k->reader);
    if (k->object)
        code_object_free(k->object);
    *k = (struct replay_code){0};
}
