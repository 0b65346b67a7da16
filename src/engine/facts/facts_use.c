/* What was done with each descriptor, and how often a thread did the same. */
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "engine/facts/facts_impl.h"

/* True for a node of a GPU's driver: /dev/nvidia0, /dev/kfd, /dev/dri/renderD128. */
static bool facts_gpu_node(const char *path)
{
    static const char *const nodes[] = {"/dev/nvidia", "/dev/kfd", "/dev/dri/"};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        if (strncmp(path, nodes[i], strlen(nodes[i])) == 0)
            return true;
    return false;
}

static struct use_fact *use_of(struct run_facts *f, uint32_t process, uint32_t object)
{
    uint32_t i = ids_get(&f->priv->by_use, (uint64_t)process << 32 | object);
    if (i != IDS_NONE)
        return &f->uses[i];
    LIST_ROOM(f->uses, f->nuses, f->uses_cap);
    ids_add(&f->priv->by_use, (uint64_t)process << 32 | object, (uint32_t)f->nuses);
    f->uses[f->nuses] = (struct use_fact){.process = process, .object = object};
    return &f->uses[f->nuses++];
}

static void count_moved_bytes(struct use_fact *u, const struct syscall_event *e,
                              const struct syscall_duty *duty,
                              const struct descriptor_object *object)
{
    uint64_t bytes = (uint64_t)e->result;
    uint64_t asked = duty->size >= 0 ? e->args[duty->size] : bytes;
    bool one = bytes == 1 && (asked == 1 || object->kind == DESCRIPTOR_FILE);
    if (duty->role == ROLE_READ) {
        u->reads++;
        u->read_bytes += bytes;
        u->one_byte_reads += one;
    } else {
        u->writes++;
        u->write_bytes += bytes;
        u->small_writes += bytes <= FACTS_SMALL;
    }
    u->turns += u->last && u->last != duty->role;
    u->last = duty->role;
}

void facts_use(struct run_facts *f, uint32_t process, const struct syscall_event *e,
               const struct syscall_duty *duty, const struct descriptor_object *object)
{
    struct use_fact *u = use_of(f, process, object->index);
    u->ns += syscall_ns(e);
    if (!facts_done(e))
        return;
    switch (duty->role) {
    case ROLE_OPEN:
        u->opens++;
        break;
    case ROLE_SYNC:
        u->syncs++;
        break;
    case ROLE_READ:
    case ROLE_WRITE:
    case ROLE_COPY:
        count_moved_bytes(u, e, duty, object);
        break;
    default:
        break;
    }
    if (object->kind == DESCRIPTOR_FILE && facts_gpu_node(object->name) &&
        duty->role != ROLE_OPEN) {
        f->device_ns += syscall_ns(e);
        f->device_calls++;
    }
}

/* The loop of the event's thread; its stretch has the same number. */
static size_t loop_of(struct run_facts *f, uint32_t process, const struct syscall_event *e)
{
    uint32_t i = ids_get(&f->priv->by_tid, (uint32_t)e->tid);
    if (i != IDS_NONE && !f->priv->stretches[i].over && f->loops[i].process == process)
        return i;
    LIST_ROOM(f->loops, f->nloops, f->loops_cap);
    size_t stretches = f->nloops;
    LIST_ROOM(f->priv->stretches, stretches, f->priv->stretches_cap);
    ids_set(&f->priv->by_tid, (uint32_t)e->tid, (uint32_t)f->nloops);
    f->loops[f->nloops] = (struct loop_fact){.process = process, .tid = e->tid};
    f->priv->stretches[f->nloops] = (struct stretch){0};
    return f->nloops++;
}

void facts_stretch_end(struct run_facts *f, size_t loop)
{
    struct stretch *s = &f->priv->stretches[loop];
    struct loop_fact *best = &f->loops[loop];
    if (s->calls <= best->calls)
        return;
    best->abi = (uint8_t)(s->key >> 56);
    best->number = (uint32_t)(s->key >> 32 & 0xffffff);
    best->calls = s->calls;
    best->bytes = s->bytes;
    best->ns = s->ns;
    best->object = s->object;
}

void facts_thread_over(struct run_facts *f, int32_t tid)
{
    uint32_t i = ids_get(&f->priv->by_tid, (uint32_t)tid);
    if (i != IDS_NONE)
        f->priv->stretches[i].over = true;
}

void facts_stretch(struct run_facts *f, uint32_t process, const struct syscall_event *e,
                   const struct syscall_duty *duty, const struct descriptor_object *object)
{
    size_t loop = loop_of(f, process, e);
    struct stretch *s = &f->priv->stretches[loop];
    uint64_t key = (uint64_t)e->abi << 56 | (uint64_t)(e->number & 0xffffff) << 32 |
                   (object ? object->index + 1 : 0);
    if (key != s->key || s->calls == 0) {
        facts_stretch_end(f, loop);
        *s = (struct stretch){.key = key, .object = object, .waited = s->waited};
    }
    s->calls++;
    s->ns += syscall_ns(e);
    if (facts_done(e) && (duty->role == ROLE_READ || duty->role == ROLE_WRITE))
        s->bytes += (uint64_t)e->result;
    if (duty->role == ROLE_FUTEX && !s->waited && syscall_ns(e) > 0) {
        s->waited = true;
        f->futex_threads++;
    }
}
