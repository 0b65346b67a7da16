#include "engine/syscalls/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "engine/syscalls/roles.h"

/* In one table of stacks, equal names are one pointer. */
static struct syscall_function *function_of(struct syscall_functions *f, const char *name,
                                            const char *module)
{
    const uint64_t hash = hash_number((uintptr_t)name, (uintptr_t)module);
    HASH_EACH (&f->by_name, hash, i)
        if (f->list[i].name == name && f->list[i].module == module)
            return &f->list[i];
    hash_table_add(&f->by_name, hash, f->n);
    LIST_ROOM(f->list, f->n, f->cap);
    f->list[f->n] = (struct syscall_function){.name = name, .module = module};
    return &f->list[f->n++];
}

static struct syscall_path *find_or_add_call_path(struct syscall_functions *f,
                                                  const struct syscall_event *e)
{
    const uint64_t hash = hash_number((uintptr_t)e->stack, (uint64_t)e->abi << 32 | e->number);
    HASH_EACH (&f->by_stack, hash, i) {
        struct syscall_path *p = &f->paths[i];
        if (p->stack == e->stack && p->abi == e->abi && p->number == e->number)
            return p;
    }
    hash_table_add(&f->by_stack, hash, f->npaths);
    LIST_ROOM(f->paths, f->npaths, f->paths_cap);
    f->paths[f->npaths] =
        (struct syscall_path){.stack = e->stack, .abi = e->abi, .number = e->number};
    return &f->paths[f->npaths++];
}

static bool is_io(const struct syscall_event *e)
{
    const enum syscall_role role = syscall_duty(e->abi, e->number)->role;
    return role == ROLE_READ || role == ROLE_WRITE || role == ROLE_COPY || role == ROLE_SYNC ||
           role == ROLE_OPEN;
}

static void add_own(struct syscall_functions *f, const struct syscall_event *e, uint64_t ns)
{
    static const char none[] = "";
    const struct syscall_frame *origin = syscall_stack_origin(e->stack);
    const char *name = origin ? origin->function : none;
    struct syscall_function *own = function_of(f, name, origin ? origin->module : none);
    const bool io = is_io(e), slow = io && ns > f->slow_ns;
    own->own_calls++;
    own->own_ns += ns;
    own->own_io += io;
    own->own_slow += slow;
    f->io += io;
    f->slow += slow;
    if (own->last != f->calls) {
        own->last = f->calls;
        own->calls++;
        own->total_ns += ns;
    }
}

void syscall_functions_add(struct syscall_functions *f, const struct syscall_event *e)
{
    const uint64_t ns = syscall_thread_ns(e);
    struct syscall_path *p = find_or_add_call_path(f, e);
    f->calls++;
    f->total_ns += ns;
    p->calls++;
    p->total_ns += ns;
    for (uint32_t i = 0; e->stack && i < e->stack->n; i++) {
        const struct syscall_frame *frame = e->stack->frames[i];
        if (!frame->function[0])
            continue;
        struct syscall_function *fn = function_of(f, frame->function, frame->module);
        if (fn->last == f->calls) /* a recursion counts once */
            continue;
        fn->last = f->calls;
        fn->calls++;
        fn->total_ns += ns;
    }
    add_own(f, e, ns);
}

static int compare_syscall_functions(const void *a, const void *b)
{
    const struct syscall_function *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns < y->total_ns ? 1 : -1;
    if (x->own_ns != y->own_ns)
        return x->own_ns < y->own_ns ? 1 : -1;
    const int name = strcmp(x->name, y->name);
    return name ? name : strcmp(x->module, y->module);
}

static int paths_by_time(const void *a, const void *b)
{
    const struct syscall_path *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns < y->total_ns ? 1 : -1;
    const uint64_t i = x->stack ? x->stack->id + UINT64_C(1) : 0,
                   k = y->stack ? y->stack->id + UINT64_C(1) : 0;
    if (i != k)
        return i < k ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

void syscall_functions_sort(struct syscall_functions *f)
{
    hash_table_free(&f->by_name);
    hash_table_free(&f->by_stack);
    if (f->n > 1)
        qsort(f->list, f->n, sizeof *f->list, compare_syscall_functions);
    if (f->npaths > 1)
        qsort(f->paths, f->npaths, sizeof *f->paths, paths_by_time);
}

void syscall_functions_free(struct syscall_functions *f)
{
    free(f->list);
    free(f->paths);
    hash_table_free(&f->by_name);
    hash_table_free(&f->by_stack);
    *f = (struct syscall_functions){0};
}
