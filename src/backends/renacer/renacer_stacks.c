#include "backends/renacer/renacer_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum { NUMBER_MAX = 1 << 21 };

const struct syscall_stack *renacer_stack_of(struct renacer_stacks *s, uint64_t number)
{
    if (number >= NUMBER_MAX)
        return NULL;
    if (number >= s->n) {
        const size_t n = number < 1024 ? 1024 : 2 * (size_t)number;
        s->list = xrealloc(s->list, n, sizeof *s->list);
        memset(s->list + s->n, 0, (n - s->n) * sizeof *s->list);
        s->n = n;
    }
    if (!s->list[number]) {
        s->list[number] = arena_alloc(&s->arena, sizeof **s->list);
        *s->list[number] = (struct syscall_stack){.id = (uint32_t)number};
    }
    return s->list[number];
}

static bool are_stacks_full(const struct renacer_stacks *s)
{
    return s->used + s->strings.bytes > SYSCALL_STACKS_BYTES;
}

static enum json_token read_frame(struct renacer_stacks *s, struct json_tokens *j,
                                  struct syscall_frame *f)
{
    enum json_token t;
    *f = (struct syscall_frame){.function = "", .module = "", .file = ""};
    while ((t = json_tokens_next(j)) == JSON_KEY) {
        const char **text = NULL;
        if (renacer_is(j, "function"))
            text = &f->function;
        else if (renacer_is(j, "module"))
            text = &f->module;
        else if (renacer_is(j, "file"))
            text = &f->file;
        const bool line = renacer_is(j, "line"), inlined = renacer_is(j, "inlined");
        uint64_t *number = renacer_is(j, "offset") ? &f->offset : NULL;
        if (renacer_is(j, "address"))
            number = &f->address;
        uint64_t v;
        t = json_tokens_next(j);
        if (text && t == JSON_STRING && !are_stacks_full(s))
            *text = strings_add_n(&s->strings, j->text, j->size);
        else if (number && !renacer_number(j, t, number))
            *number = 0; /* unknown */
        else if (line && renacer_number(j, t, &v))
            f->line = v <= INT_MAX ? (int)v : 0;
        else if (inlined && t == JSON_WORD)
            f->inlined = renacer_is(j, "true");
        t = json_tokens_skip(j, t);
        if (json_token_broken(t))
            break;
    }
    return t;
}

enum json_token renacer_read_frames(struct renacer_stacks *s, struct json_tokens *j)
{
    enum json_token t;
    while ((t = json_tokens_next(j)) != JSON_ARRAY_END) {
        struct syscall_frame f = {.function = "", .module = "", .file = ""};
        t = t == JSON_OBJECT ? read_frame(s, j, &f) : json_tokens_skip(j, t);
        if (json_token_broken(t))
            break;
        if (are_stacks_full(s))
            continue;
        struct syscall_frame *own = arena_alloc(&s->arena, sizeof *own);
        *own = f;
        own->id = (uint32_t)s->nframes;
        LIST_ADD(s->frames, s->nframes, s->cap_frames, own);
        s->used += sizeof f + sizeof own;
    }
    return t;
}

static enum json_token read_stack_frame_numbers(struct renacer_stacks *s, struct json_tokens *j,
                                                const struct syscall_frame **list, uint32_t *n)
{
    enum json_token t;
    while ((t = json_tokens_next(j)) != JSON_ARRAY_END) {
        uint64_t v;
        if (t == JSON_NUMBER && renacer_number(j, t, &v) && v < s->nframes &&
            *n < SYSCALL_FRAMES_MAX)
            list[(*n)++] = s->frames[v];
        t = json_tokens_skip(j, t);
        if (json_token_broken(t))
            break;
    }
    return t;
}

/* Reads {"id": 0, "frames": [0, 1], "cut": true}. */
static enum json_token read_stack(struct renacer_stacks *s, struct json_tokens *j)
{
    const struct syscall_frame *list[SYSCALL_FRAMES_MAX];
    uint32_t n = 0;
    uint64_t id = UINT64_MAX;
    bool is_cut = false;
    enum json_token t;
    while ((t = json_tokens_next(j)) == JSON_KEY) {
        const bool number = renacer_is(j, "id"), frames = renacer_is(j, "frames");
        const bool cut = renacer_is(j, "cut");
        t = json_tokens_next(j);
        if (frames && t == JSON_ARRAY && n == 0)
            t = read_stack_frame_numbers(s, j, list, &n);
        else {
            if (number && !renacer_number(j, t, &id))
                id = UINT64_MAX;
            is_cut |= cut && t == JSON_WORD && renacer_is(j, "true");
            t = json_tokens_skip(j, t);
        }
        if (json_token_broken(t))
            return t;
    }
    /* Only a stack that a call refers to, and only once. */
    struct syscall_stack *stack = id < s->n ? s->list[id] : NULL;
    if (!stack || stack->n > 0 || n == 0 || are_stacks_full(s))
        return t;
    const struct syscall_frame **own = arena_alloc(&s->arena, n * sizeof(struct syscall_frame *));
    memcpy(own, list, n * sizeof(struct syscall_frame *));
    s->used += n * sizeof(struct syscall_frame *);
    stack->frames = own;
    stack->n = n;
    stack->cut = is_cut;
    return t;
}

enum json_token renacer_read_stacks(struct renacer_stacks *s, struct json_tokens *j)
{
    enum json_token t;
    while ((t = json_tokens_next(j)) != JSON_ARRAY_END) {
        t = t == JSON_OBJECT ? read_stack(s, j) : json_tokens_skip(j, t);
        if (json_token_broken(t))
            break;
    }
    return t;
}

enum json_token renacer_read_source(struct renacer_stacks *s, struct json_tokens *j,
                                    const struct syscall_stack **out)
{
    struct syscall_frame f;
    const enum json_token t = read_frame(s, j, &f);
    if (!s->sources)
        s->sources = syscall_stacks_new(SYSCALL_STACKS_BYTES);
    if (!json_token_broken(t) && (f.file[0] || f.function[0]))
        *out = syscall_stacks_add(s->sources, &f, 1, false);
    return t;
}

void renacer_stacks_free(struct renacer_stacks *s)
{
    strings_free(&s->strings);
    arena_free(&s->arena);
    syscall_stacks_free(s->sources);
    free(s->frames);
    free(s->list);
}
