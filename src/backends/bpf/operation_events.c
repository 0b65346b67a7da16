#include "backends/bpf/bpf_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"

/* Bits of a completion's flags: IORING_CQE_F_MORE of linux/io_uring.h. */
enum { MORE = 1 << 1 };
/* The program's bits of a request's flags: IOSQE_FIXED_FILE to IOSQE_CQE_SKIP_SUCCESS. */
enum { SQE_FLAGS = 0x7f };
/* Limit of operations in memory, because a program may ask for no completion. */
enum { MOST = 1 << 16 };

/* Chains of operations by the kernel's request, by user_data, and by age, newest first. */
enum { BY_REQUEST, BY_DATA, BY_AGE, CHAINS };
enum { BUCKETS = MOST };

struct operation {
    uint64_t ring, request, user_data, flags, begin_ns;
    int32_t pid, tid;
    uint32_t opcode;
    struct {
        uint32_t newer, older;
    } in[CHAINS];
};

static void tell_operation(struct raw_calls *raw, const struct operation *o, uint64_t end_ns,
                           int64_t result, uint8_t flags)
{
    const struct syscall_event e = {.number = o->opcode,
                                    .pid = o->pid,
                                    .tid = o->tid,
                                    .begin_ns = o->begin_ns,
                                    .end_ns = end_ns,
                                    .args = {o->user_data, o->flags},
                                    .result = result,
                                    .flags = flags};
    raw_calls_operation(raw, &e);
}

/* --- chains --- */

static uint32_t *head_of(struct operations *o, int chain, uint64_t ring, uint64_t key)
{
    if (chain == BY_AGE)
        return &o->newest;
    return &o->heads[(uint64_t)chain * BUCKETS + hash_number(ring, key) % BUCKETS];
}

static uint64_t operation_key(const struct operation *k, int chain)
{
    return chain == BY_REQUEST ? k->request : k->user_data;
}

static void add_operation(struct operations *o, const struct operation *k)
{
    uint32_t at = o->unused;
    if (!o->heads)
        o->heads = xcalloc((size_t)2 * BUCKETS, sizeof *o->heads);
    if (at) {
        o->unused = o->list[at - 1].in[BY_AGE].older;
    } else {
        LIST_ROOM(o->list, o->used, o->cap);
        at = (uint32_t)++o->used;
    }
    struct operation *own = &o->list[at - 1];
    *own = *k;
    for (int chain = 0; chain < CHAINS; chain++) {
        uint32_t *head = head_of(o, chain, k->ring, operation_key(k, chain));
        own->in[chain].newer = 0;
        own->in[chain].older = *head;
        if (*head)
            o->list[*head - 1].in[chain].newer = at;
        *head = at;
    }
    o->oldest = o->oldest ? o->oldest : at;
    o->n++;
}

static void drop_operation(struct operations *o, uint32_t at)
{
    struct operation *k = &o->list[at - 1];
    for (int chain = 0; chain < CHAINS; chain++) {
        const uint32_t newer = k->in[chain].newer, older = k->in[chain].older;
        if (newer)
            o->list[newer - 1].in[chain].older = older;
        else
            *head_of(o, chain, k->ring, operation_key(k, chain)) = older;
        if (older)
            o->list[older - 1].in[chain].newer = newer;
        else if (chain == BY_AGE)
            o->oldest = newer;
    }
    k->in[BY_AGE].older = o->unused;
    o->unused = at;
    o->n--;
}

static uint32_t newest_with(struct operations *o, int chain, uint64_t ring, uint64_t key)
{
    uint32_t at = o->heads ? *head_of(o, chain, ring, key) : 0;
    while (at && (o->list[at - 1].ring != ring || operation_key(&o->list[at - 1], chain) != key))
        at = o->list[at - 1].in[chain].older;
    return at;
}

void operations_submitted(struct operations *o, struct raw_calls *raw, const struct record *r)
{
    const struct operation k = {.ring = r->args[OPERATION_RING],
                                .request = r->args[OPERATION_REQUEST],
                                .user_data = r->args[OPERATION_DATA],
                                .flags = r->args[OPERATION_FLAGS] & SQE_FLAGS,
                                .begin_ns = r->begin_ns,
                                .pid = (int32_t)r->pid,
                                .tid = (int32_t)r->tid,
                                .opcode = (uint32_t)r->args[OPERATION_WHAT]};
    /* The kernel uses the request again, so the earlier operation has ended unreported. */
    uint32_t over = newest_with(o, BY_REQUEST, k.ring, k.request);
    if (!over && o->n == MOST)
        over = o->oldest;
    if (over) {
        tell_operation(raw, &o->list[over - 1], k.begin_ns, 0, SYSCALL_UNFINISHED);
        drop_operation(o, over);
    }
    add_operation(o, &k);
}

void operations_completed(struct operations *o, struct raw_calls *raw, const struct record *r)
{
    const uint64_t ring = r->args[OPERATION_RING], request = r->args[OPERATION_REQUEST];
    /* Not every completion names its request. */
    const uint32_t at = request ? newest_with(o, BY_REQUEST, ring, request)
                                : newest_with(o, BY_DATA, ring, r->args[OPERATION_DATA]);
    if (!at) /* submitted before the trace or by a process that is not traced */
        return;
    tell_operation(raw, &o->list[at - 1], r->begin_ns, (int32_t)(uint32_t)r->args[OPERATION_WHAT],
                   0);
    if (r->args[OPERATION_FLAGS] & MORE)
        o->list[at - 1].begin_ns =
            r->begin_ns; /* one submission has many completions: expect the next one */
    else
        drop_operation(o, at);
}

void operations_close(struct operations *o, struct raw_calls *raw, uint64_t ns)
{
    for (uint32_t at = o->oldest; at; at = o->list[at - 1].in[BY_AGE].newer)
        tell_operation(raw, &o->list[at - 1], ns, 0, SYSCALL_UNFINISHED);
    free(o->list);
    free(o->heads);
    *o = (struct operations){.n = 0};
}
