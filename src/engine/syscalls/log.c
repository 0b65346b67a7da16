#include "engine/syscalls/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/syscalls/stacks.h"

/* Events lie one behind the other in blocks: the event, then its pieces, its bytes. Blocks do not
 * move, so events can be lent. */
enum { BLOCK = 256 * 1024 };

struct block {
    struct block *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

struct syscall_log {
    struct block *first, *last;
    struct syscall_event **events;
    size_t n, cap, used, limit;
    uint64_t lost;
};

struct syscall_log *syscall_log_new(size_t limit)
{
    struct syscall_log *log = calloc(1, sizeof *log);
    if (log)
        log->limit = limit;
    return log;
}

/* Returns n bytes of a block; NULL if the limit or the memory is used up. */
static void *take_room(struct syscall_log *log, size_t n)
{
    n = (n + 15) & ~(size_t)15;
    if (!log->last || log->last->size - log->last->used < n) {
        size_t size = n > BLOCK ? n : BLOCK;
        if (size > log->limit - log->used)
            size = log->limit - log->used;
        if (size < n + sizeof(struct block))
            return NULL;
        struct block *b = malloc(size);
        if (!b)
            return NULL;
        *b = (struct block){.size = size - sizeof *b};
        if (b->size < n) {
            free(b);
            return NULL;
        }
        if (log->last)
            log->last->next = b;
        else
            log->first = b;
        log->last = b;
        log->used += size;
    }
    void *room = log->last->bytes + log->last->used;
    log->last->used += n;
    return room;
}

static bool index_room(struct syscall_log *log)
{
    if (log->n < log->cap)
        return true;
    size_t cap = log->cap ? log->cap * 2 : 256, more = (cap - log->cap) * sizeof *log->events;
    if (more > log->limit - log->used)
        return false;
    struct syscall_event **bigger = realloc(log->events, cap * sizeof *bigger);
    if (!bigger)
        return false;
    log->events = bigger;
    log->cap = cap;
    log->used += more;
    return true;
}

static unsigned char *append_log_bytes(unsigned char *at, const void *from, size_t n)
{
    if (n)
        memcpy(at, from, n);
    return at + n;
}

void syscall_log_add(struct syscall_log *log, const struct syscall_event *e)
{
    size_t pieces = e->npieces * sizeof *e->pieces;
    struct syscall_event *kept =
        index_room(log) ? take_room(log, sizeof *kept + pieces + e->nbytes) : NULL;
    if (!kept) {
        log->lost += e->kind == SYSCALL_LOST ? e->args[0] : 1;
        return;
    }
    *kept = *e;
    unsigned char *at = (unsigned char *)(kept + 1);
    kept->pieces = (const struct syscall_piece *)at;
    at = append_log_bytes(at, e->pieces, pieces);
    kept->bytes = at;
    append_log_bytes(at, e->bytes, e->nbytes);
    log->events[log->n++] = kept;
}

size_t syscall_log_count(const struct syscall_log *log)
{
    return log->n;
}

struct syscall_event syscall_log_at(const struct syscall_log *log, size_t i)
{
    return *log->events[i];
}

uint64_t syscall_log_lost(const struct syscall_log *log)
{
    return log->lost;
}

/* Orders events of the same time: a task starts before its first call and ends after its last. */
static int rank_event_kind(const struct syscall_event *e)
{
    if (e->kind == SYSCALL_START)
        return 0;
    return e->kind == SYSCALL_EXIT ? 2 : 1;
}

struct placed_text {
    struct syscall_event *e;
    size_t at; /* in order of arrival */
};

static int compare_placed_texts(const void *a, const void *b)
{
    const struct placed_text *x = a, *y = b;
    if (x->e->end_ns != y->e->end_ns)
        return x->e->end_ns < y->e->end_ns ? -1 : 1;
    if (rank_event_kind(x->e) != rank_event_kind(y->e))
        return rank_event_kind(x->e) - rank_event_kind(y->e);
    return x->at < y->at ? -1 : x->at > y->at;
}

void syscall_log_sort(struct syscall_log *log)
{
    struct placed_text *order = xcalloc(log->n + 1, sizeof *order);
    for (size_t i = 0; i < log->n; i++)
        order[i] = (struct placed_text){log->events[i], i};
    if (log->n > 1)
        qsort(order, log->n, sizeof *order, compare_placed_texts);
    for (size_t i = 0; i < log->n; i++)
        log->events[i] = order[i].e;
    free(order);
}

struct entering {
    uint64_t begin_ns;
    size_t at; /* index into the log */
};

static int by_begin(const void *a, const void *b)
{
    const struct entering *x = a, *y = b;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void give_event_to_sink(const struct syscall_sink *sink, struct syscall_event e)
{
    if (e.stack && e.stack->n == 0) /* the file lacks the stack's frames */
        e.stack = NULL;
    sink->event(sink->ctx, &e);
}

static void give_entry(const struct syscall_sink *sink, struct syscall_event e)
{
    e.kind = SYSCALL_ENTRY;
    e.end_ns = 0;
    e.result = 0;
    e.flags &= SYSCALL_NO_TIMES;
    give_event_to_sink(sink, e);
}

void syscall_log_give(const struct syscall_log *log, const struct syscall_sink *sink)
{
    const size_t n = syscall_log_count(log);
    struct entering *list = xcalloc(sink->entries ? n + 1 : 1, sizeof *list);
    bool *entered = xcalloc(sink->entries ? n + 1 : 1, sizeof *entered);
    size_t nlist = 0, next = 0;
    for (size_t i = 0; sink->entries && i < n; i++) {
        const struct syscall_event e = syscall_log_at(log, i);
        if (e.kind == SYSCALL_CALL)
            list[nlist++] = (struct entering){e.begin_ns, i};
    }
    if (nlist > 1)
        qsort(list, nlist, sizeof *list, by_begin);
    for (size_t i = 0; i < n; i++) {
        const struct syscall_event e = syscall_log_at(log, i);
        while (next < nlist &&
               (list[next].begin_ns < e.end_ns || (e.kind == SYSCALL_CALL && !entered[i]))) {
            entered[list[next].at] = true;
            give_entry(sink, syscall_log_at(log, list[next++].at));
        }
        give_event_to_sink(sink, e);
    }
    free(list);
    free(entered);
}

void syscall_log_free(struct syscall_log *log)
{
    if (!log)
        return;
    for (struct block *b = log->first, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(log->events);
    free(log);
}
