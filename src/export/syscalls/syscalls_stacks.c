/* Stacks and sources of calls, as text and JSON. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/print.h"
#include "export/syscalls/syscalls_origin.h"

const char *syscalls_origin(const struct syscall_stack *stack, char *out, size_t size)
{
    const struct syscall_frame *f = syscall_stack_origin(stack);
    char name[160];
    if (!f && stack && stack->n > 0)
        f = stack->frames[stack->n - 1];
    if (!f)
        out[0] = '\0';
    else if (f->line > 0)
        print_line(out, size, "%s:%d", f->file, f->line);
    else if (f->function[0])
        print_line(out, size, "%s in %s", f->function, syscall_frame_module(f));
    else
        print_line(out, size, "%s", syscall_frame_name(f, name, sizeof name));
    return out;
}

void syscalls_stack_text(FILE *out, const struct syscall_stack *stack)
{
    for (uint32_t i = 0; i < stack->n; i++) {
        const struct syscall_frame *f = stack->frames[i];
        print_text(out, " > %s(%s", f->module, f->function);
        if (f->inlined)
            fputs(", inlined", out);
        else if (f->function[0])
            fprintf(out, "+0x%" PRIx64, f->offset);
        fprintf(out, ") [0x%" PRIx64 "]", f->address);
        if (f->line > 0)
            print_text(out, " %s:%d", f->file, f->line);
        fputc('\n', out);
    }
    if (stack->cut)
        fputs(" > ...\n", out);
}

/* --- JSON --- */

static void keep_call_stack(struct syscalls_export *x, const struct syscall_stack *stack)
{
    while (x->nstacks <= stack->id)
        LIST_ADD(x->stacks, x->nstacks, x->stacks_cap, NULL);
    x->stacks[stack->id] = stack;
}

void syscalls_origin_json(struct syscalls_export *x, FILE *out, const struct syscall_stack *stack)
{
    const struct syscall_frame *f = syscall_stack_origin(stack);
    if (x->options.source && f && f->line > 0) {
        print_json(out, ", \"source\": {\"file\": \"%s\", \"line\": %d", f->file, f->line);
        if (f->function[0])
            print_json(out, ", \"function\": \"%s\"", f->function);
        fputc('}', out);
    }
    if (x->options.stacks && stack) {
        fprintf(out, ", \"stack\": %" PRIu32, stack->id);
        keep_call_stack(x, stack);
    }
}

static void frame_json(FILE *out, const struct syscall_frame *f)
{
    print_json(out, "{\"function\": \"%s\", \"module\": \"%s\"", f->function, f->module);
    fprintf(out, ", \"address\": \"0x%" PRIx64 "\"", f->address);
    if (f->offset)
        fprintf(out, ", \"offset\": \"0x%" PRIx64 "\"", f->offset);
    if (f->line > 0)
        print_json(out, ", \"file\": \"%s\", \"line\": %d", f->file, f->line);
    fputs(f->inlined ? ", \"inlined\": true}" : "}", out);
}

/* Frames by their ids, with their numbers in the document. */
struct frame_list {
    const struct syscall_frame **list;
    uint32_t *number;
    size_t n, cap;
};

static void list_frame(struct frame_list *f, const struct syscall_frame *frame)
{
    while (f->n <= frame->id)
        LIST_ADD(f->list, f->n, f->cap, NULL);
    f->list[frame->id] = frame;
}

static void frames_json(struct syscalls_export *x, struct frame_list *f)
{
    uint32_t n = 0;
    for (size_t i = 0; i < x->nstacks; i++)
        for (uint32_t k = 0; x->stacks[i] && k < x->stacks[i]->n; k++)
            list_frame(f, x->stacks[i]->frames[k]);
    f->number = xcalloc(f->n + 1, sizeof *f->number);
    fputs("  \"frames\": [", x->out);
    for (size_t i = 0; i < f->n; i++) {
        if (!f->list[i])
            continue;
        fputs(n ? ",\n    " : "\n    ", x->out);
        frame_json(x->out, f->list[i]);
        f->number[i] = n++;
    }
    fputs("\n  ],\n", x->out);
}

void syscalls_stacks_json(struct syscalls_export *x)
{
    struct frame_list f = {0};
    bool any = false;
    frames_json(x, &f);
    fputs("  \"stacks\": [", x->out);
    for (size_t i = 0; i < x->nstacks; i++) {
        const struct syscall_stack *s = x->stacks[i];
        if (!s)
            continue;
        print_json(x->out, "%s\n    {\"id\": %" PRIu32 ", \"frames\": [", any ? "," : "", s->id);
        for (uint32_t k = 0; k < s->n; k++)
            print_json(x->out, "%s%" PRIu32, k ? ", " : "", f.number[s->frames[k]->id]);
        fputs(s->cut ? "], \"cut\": true}" : "]}", x->out);
        any = true;
    }
    fputs("\n  ],\n", x->out);
    free(f.list);
    free(f.number);
}
