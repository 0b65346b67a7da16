/* The arguments of a replayed kernel: as captured, except those that belong to this process. */
#include <hsa/amd_hsa_queue.h>
#include <stdlib.h>
#include <string.h>

#include "backends/replay/device/variables.h"
#include "base/arena.h"
#include "engine/capture/kernarg.h"

static struct kernarg_dispatch dispatch_of(const struct replay_code *k)
{
    const struct capture *c = k->c;
    struct kernarg_dispatch d = {.dimensions = 1, .group_segment_size = k->group_size};
    for (int i = 0; i < 3; i++) {
        d.grid[i] = c->grid[i];
        d.group[i] = (uint16_t)c->block[i];
        if (c->grid[i] > 1 || c->block[i] > 1)
            d.dimensions = (uint16_t)(i + 1);
    }
    return d;
}

static struct kernarg_runtime runtime_of(hsa_queue_t *queue)
{
    /* the queue is its first member */
    const amd_queue_t *q = (const amd_queue_t *)(const void *)queue;
    return (struct kernarg_runtime){.queue = (uint64_t)(uintptr_t)queue,
                                    .shared_base = q->group_segment_aperture_base_hi,
                                    .private_base = q->private_segment_aperture_base_hi};
}

_Static_assert(CODE_ARG_KINDS <= 64, "a bit for each kind");
static void tell_missing(const struct kernarg_rebound *done, struct replay_notes *notes)
{
    for (int kind = 0; kind < CODE_ARG_KINDS; kind++)
        if (done->empty_kinds >> kind & 1)
            replay_note(notes, "the kernel may use %s, which a replay has not: it would fault",
                        code_arg_table[kind].what);
    if (done->mysterious)
        replay_note(notes, "%u hidden arguments are of a kind that is not known: as captured",
                    done->mysterious);
}

/* Moves pointers to module variables to the new addresses; pointers into code cannot be moved. */
static void rebase_pointers(const struct replay_code *k, uint8_t *buffer,
                            struct replay_notes *notes)
{
    struct kernarg a;
    const struct capture *c = k->c;
    kernarg_decode(&a, k->kernel, buffer, k->kernarg_size, NULL, 0);
    for (uint32_t i = 0; i < a.n; i++) {
        const struct kernarg_slot *s = &a.slots[i];
        if (s->type != KERNARG_POINTER || s->role != CODE_ROLE_PROGRAM || s->arg->size != 8)
            continue;
        const uint64_t moved = replay_variables_moved(k, s->bits);
        if (moved)
            memcpy(buffer + s->arg->offset, &moved, sizeof moved);
        else if (c->code_size && s->bits >= c->code_base && s->bits - c->code_base < c->code_size)
            replay_note(notes,
                        "argument %s points into the captured code object, which is loaded "
                        "elsewhere now: the kernel may fault",
                        *s->arg->name ? s->arg->name : "without a name");
    }
    kernarg_free(&a);
}

/* Copies the program's arguments to their positions in this build. */
static int take_captured(struct replay_code *k, const struct code_object *captured, uint8_t *buffer,
                         struct replay_failure *f)
{
    struct error err = ERROR_INIT;
    const struct capture *c = k->c;
    const struct code_kernel *original = code_object_kernel(captured, c->mangled_name);
    if (!k->path || !original) {
        memcpy(buffer, c->kernarg, c->kernarg_size);
        return 0;
    }
    if (kernarg_adopt(original, c->kernarg, c->kernarg_size, k->kernel, buffer, k->kernarg_size,
                      &err) == 0)
        return 0;
    return replay_fail(f, REPLAY_LOAD, "the kernel's parameters must be the captured ones", k->path,
                       "%s", err.why);
}

static int fill_arguments(struct replay_code *k, const struct code_object *captured,
                          hsa_queue_t *queue, uint8_t *buffer, struct replay_notes *notes,
                          struct replay_failure *f)
{
    struct error err = ERROR_INIT;
    struct kernarg_rebound done = {0};
    const struct kernarg_dispatch dispatch = dispatch_of(k);
    const struct kernarg_runtime runtime = runtime_of(queue);
    if (take_captured(k, captured, buffer, f) != 0)
        return -1;
    rebase_pointers(k, buffer, notes);
    if (kernarg_rebind(k->kernel, &dispatch, &runtime, buffer, k->kernarg_size, &done, &err) != 0)
        return replay_fail_as(f, REPLAY_LOAD, &err);
    tell_missing(&done, notes);
    return 0;
}

int replay_code_bind(struct replay_code *k, const struct code_object *captured, hsa_queue_t *queue,
                     struct replay_notes *notes, struct replay_failure *f)
{
    const struct hsa_runtime *r = &k->d->r;
    const size_t size = k->kernarg_size ? k->kernarg_size : 1;
    uint8_t *buffer = xcalloc(1, size);
    int rc = fill_arguments(k, captured, queue, buffer, notes, f);
    if (rc == 0) {
        hsa_status_t status = r->amd_memory_pool_allocate(k->d->kernarg, size, 0, &k->kernarg);
        if (status == HSA_STATUS_SUCCESS)
            status = r->amd_agents_allow_access(1, &k->d->gpu, NULL, k->kernarg);
        else
            k->kernarg = NULL;
        if (status == HSA_STATUS_SUCCESS)
            memcpy(k->kernarg, buffer, size);
        else
            rc = replay_device_failed(k->d, status, REPLAY_MEMORY, "memory for arguments", f);
    }
    free(buffer);
    return rc;
}
