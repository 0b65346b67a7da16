#include "backends/replay/device/variables.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "format/capture.h"

static int read_contents(const struct capture *c, const struct capture_variable *v, uint8_t *to,
                         struct error *err)
{
    struct capture_contents *o = NULL;
    int rc = capture_contents_open(&o, c, &v->blob, v->size, err);
    const size_t n = rc == 0 ? capture_contents_blocks(o) : 0;
    uint64_t *sums = xcalloc(n ? n : 1, sizeof *sums);
    for (size_t i = 0; i < n && rc == 0; i++) {
        bool zero = false;
        const uint64_t at = i * (uint64_t)CAPTURE_BLOCK;
        rc = capture_contents_block(o, i, to + at, &zero, &sums[i], err);
        if (rc == 0 && zero)
            memset(to + at, 0,
                   (size_t)(v->size - at < CAPTURE_BLOCK ? v->size - at : CAPTURE_BLOCK));
    }
    if (rc == 0)
        rc = capture_contents_check(o, sums, err);
    if (o)
        capture_contents_close(o);
    free(sums);
    return rc;
}

/* The variable's present address; 0: this build does not have it, or with another size. */
static uint64_t find_variable_address(const struct replay_code *k, const struct capture_variable *v)
{
    const struct hsa_runtime *r = &k->d->r;
    hsa_executable_symbol_t symbol;
    uint64_t address = 0;
    uint32_t size = 0;
    if (r->executable_get_symbol_by_name(k->executable, v->name, &k->d->gpu, &symbol) !=
            HSA_STATUS_SUCCESS ||
        r->executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS,
                                      &address) != HSA_STATUS_SUCCESS ||
        r->executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &size) !=
            HSA_STATUS_SUCCESS)
        return 0;
    return size == v->size ? address : 0;
}

int replay_variables_find(struct replay_code *k, struct replay_notes *notes,
                          struct replay_failure *f)
{
    struct error err = ERROR_INIT;
    k->variables = xcalloc(k->c->nvariables ? k->c->nvariables : 1, sizeof *k->variables);
    for (size_t i = 0; i < k->c->nvariables; i++) {
        const struct capture_variable *v = &k->c->variables[i];
        const uint64_t address = v->size && v->blob.file ? find_variable_address(k, v) : 0;
        if (!address) {
            replay_note(notes, "%s has no module variable %s of %llu bytes: it is not restored",
                        k->path ? k->path : "the code object", v->name,
                        (unsigned long long)v->size);
            continue;
        }
        struct replay_variable *to = &k->variables[k->nvariables++];
        *to = (struct replay_variable){address, v->address, v->size, malloc(v->size)};
        if (!to->contents)
            return replay_fail(f, REPLAY_MEMORY, NULL, v->name, "no memory for its %llu bytes",
                               (unsigned long long)v->size);
        if (read_contents(k->c, v, to->contents, &err) != 0)
            return replay_fail_as(f, REPLAY_CAPTURE, &err);
    }
    return 0;
}

int replay_variables_write(struct replay_code *k, struct replay_failure *f)
{
    for (size_t i = 0; i < k->nvariables; i++) {
        const struct replay_variable *v = &k->variables[i];
        void *to = (void *)(uintptr_t)v->address; /* NOLINT(performance-no-int-to-ptr) */
        const hsa_status_t status = k->d->r.memory_copy(to, v->contents, v->size);
        if (status != HSA_STATUS_SUCCESS)
            return replay_device_failed(k->d, status, REPLAY_MEMORY, "write module variables", f);
    }
    return 0;
}

void replay_variables_free(struct replay_code *k)
{
    for (size_t i = 0; i < k->nvariables; i++)
        free(k->variables[i].contents);
    free(k->variables);
    k->variables = NULL;
    k->nvariables = 0;
}

uint64_t replay_variables_moved(const struct replay_code *k, uint64_t address)
{
    for (size_t i = 0; i < k->nvariables; i++) {
        const struct replay_variable *v = &k->variables[i];
        if (v->was && address >= v->was && address - v->was < v->size)
            return v->address + (address - v->was);
    }
    return 0;
}
