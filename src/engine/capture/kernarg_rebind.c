#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/capture/kernarg.h"

/* --- checks --- */

static int bad_arguments(const struct code_kernel *k, struct error *err, const char *why)
{
    char what[160];
    snprintf(what, sizeof what, "arguments of %.120s", k->demangled);
    return error_set(err, ERROR_INPUT, EINVAL, NULL, what, "%s", why);
}

static int check_dispatch(const struct code_kernel *k, const struct kernarg_dispatch *d,
                          struct error *err)
{
    if (d->dimensions < 1 || d->dimensions > 3)
        return bad_arguments(k, err, "a dispatch has 1 to 3 dimensions");
    for (unsigned i = 0; i < 3; i++)
        if (d->grid[i] == 0 || d->group[i] == 0)
            return bad_arguments(k, err, "a grid or group of no work-items");
    if (k->group_size != CODE_UNKNOWN && d->group_segment_size < k->group_size)
        return bad_arguments(k, err, "the dispatch has less LDS than the kernel needs");
    return 0;
}

static int check_slot(const struct code_kernel *k, const struct code_arg *a, size_t size,
                      struct error *err)
{
    char why[192];
    if (a->offset > size || a->size > size - a->offset)
        snprintf(why, sizeof why, "%s is at byte %u of %zu", a->kind_name, a->offset, size);
    else if (code_arg_table[a->kind].size && a->size != code_arg_table[a->kind].size)
        snprintf(why, sizeof why, "%s has %u bytes, %u are usual", a->kind_name, a->size,
                 code_arg_table[a->kind].size);
    else
        return 0;
    return bad_arguments(k, err, why);
}

/* --- values --- */

/* The value of a hidden argument that follows from the dispatch. LLVM, "User Guide for AMDGPU
 * Backend", Code Object V5 Metadata: block counts count whole groups; the remainder is the size of
 * the last, partial one. */
static uint64_t launch_value(const struct code_kernel *k, const struct kernarg_dispatch *d,
                             enum code_arg_kind kind)
{
    switch (kind) {
    case CODE_ARG_BLOCK_COUNT_X:
    case CODE_ARG_BLOCK_COUNT_Y:
    case CODE_ARG_BLOCK_COUNT_Z:
        return d->grid[kind - CODE_ARG_BLOCK_COUNT_X] / d->group[kind - CODE_ARG_BLOCK_COUNT_X];
    case CODE_ARG_GROUP_SIZE_X:
    case CODE_ARG_GROUP_SIZE_Y:
    case CODE_ARG_GROUP_SIZE_Z:
        return d->group[kind - CODE_ARG_GROUP_SIZE_X];
    case CODE_ARG_REMAINDER_X:
    case CODE_ARG_REMAINDER_Y:
    case CODE_ARG_REMAINDER_Z:
        return d->grid[kind - CODE_ARG_REMAINDER_X] % d->group[kind - CODE_ARG_REMAINDER_X];
    case CODE_ARG_GRID_DIMS:
        return d->dimensions;
    default: /* CODE_ARG_DYNAMIC_LDS_SIZE */
        return d->group_segment_size - (k->group_size == CODE_UNKNOWN ? 0 : k->group_size);
    }
}

static uint64_t runtime_value(const struct kernarg_runtime *r, enum code_arg_kind kind)
{
    switch (kind) {
    case CODE_ARG_PRINTF_BUFFER:
        return r->printf_buffer;
    case CODE_ARG_HOSTCALL_BUFFER:
        return r->hostcall_buffer;
    case CODE_ARG_DEFAULT_QUEUE:
        return r->default_queue;
    case CODE_ARG_COMPLETION_ACTION:
        return r->completion_action;
    case CODE_ARG_MULTIGRID_SYNC:
        return r->multigrid_sync;
    case CODE_ARG_HEAP:
        return r->heap;
    case CODE_ARG_PRIVATE_BASE:
        return r->private_base;
    case CODE_ARG_SHARED_BASE:
        return r->shared_base;
    default: /* CODE_ARG_QUEUE_PTR */
        return r->queue;
    }
}

static void rebind_slot(const struct code_kernel *k, const struct code_arg *a,
                        const struct kernarg_dispatch *d, const struct kernarg_runtime *r,
                        uint8_t *slot, struct kernarg_rebound *out)
{
    uint64_t v;
    switch (code_arg_table[a->kind].role) {
    case CODE_ROLE_LAUNCH:
        v = launch_value(k, d, a->kind);
        out->launch++;
        break;
    case CODE_ROLE_RUNTIME:
        v = runtime_value(r, a->kind);
        out->bound += v != 0;
        out->empty += v == 0;
        if (v == 0)
            out->empty_kinds |= (uint64_t)1 << a->kind;
        break;
    case CODE_ROLE_KEPT:
        out->kept++;
        return;
    case CODE_ROLE_MYSTERIOUS:
        out->mysterious++;
        return;
    default:
        return;
    }
    memcpy(slot, &v, a->size);
}

int kernarg_rebind(const struct code_kernel *k, const struct kernarg_dispatch *d,
                   const struct kernarg_runtime *r, void *buffer, size_t size,
                   struct kernarg_rebound *out, struct error *err)
{
    int rc = check_dispatch(k, d, err);
    *out = (struct kernarg_rebound){0};
    for (uint32_t i = 0; i < k->nargs && rc == 0; i++)
        rc = check_slot(k, &k->args[i], size, err);
    for (uint32_t i = 0; i < k->nargs && rc == 0; i++)
        rebind_slot(k, &k->args[i], d, r, (uint8_t *)buffer + k->args[i].offset, out);
    return rc;
}

/* --- arguments for another build of the kernel --- */

static int check_same(const struct code_kernel *a, const struct code_kernel *b, uint32_t i,
                      struct error *err)
{
    const struct code_arg *x = &a->args[i], *y = &b->args[i];
    char why[192];
    if (x->kind != y->kind)
        snprintf(why, sizeof why, "argument %u is %.40s there and %.40s here", i, x->kind_name,
                 y->kind_name);
    else if (x->size != y->size)
        snprintf(why, sizeof why, "argument %u has %u bytes there and %u here", i, x->size,
                 y->size);
    else
        return 0;
    return bad_arguments(b, err, why);
}

static const struct code_arg *find_hidden_arg(const struct code_kernel *k, enum code_arg_kind kind)
{
    for (uint32_t i = k->nexplicit; i < k->nargs; i++)
        if (k->args[i].kind == kind)
            return &k->args[i];
    return NULL;
}

static int check_fit(const struct code_kernel *k, size_t size, struct error *err)
{
    int rc = 0;
    for (uint32_t i = 0; i < k->nargs && rc == 0; i++)
        rc = check_slot(k, &k->args[i], size, err);
    return rc;
}

int kernarg_adopt(const struct code_kernel *a, const void *from, size_t from_size,
                  const struct code_kernel *b, void *to, size_t to_size, struct error *err)
{
    char why[96];
    int rc = check_fit(a, from_size, err);
    if (rc == 0)
        rc = check_fit(b, to_size, err);
    if (rc == 0 && a->nexplicit != b->nexplicit) {
        snprintf(why, sizeof why, "%u arguments there and %u here", a->nexplicit, b->nexplicit);
        rc = bad_arguments(b, err, why);
    }
    for (uint32_t i = 0; i < b->nexplicit && rc == 0; i++)
        rc = check_same(a, b, i, err);
    if (rc != 0)
        return rc;
    memset(to, 0, to_size);
    for (uint32_t i = 0; i < b->nargs; i++) {
        const struct code_arg *y = &b->args[i],
                              *x = i < b->nexplicit ? &a->args[i] : find_hidden_arg(a, y->kind);
        if (x && x->size == y->size)
            memcpy((uint8_t *)to + y->offset, (const uint8_t *)from + x->offset, y->size);
    }
    return 0;
}
