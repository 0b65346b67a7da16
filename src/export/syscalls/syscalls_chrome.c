/* Chrome's trace format: a slice for each call, in the track of its thread; operations of
 * io_uring are asynchronous events. */
#include <stdlib.h>

#include "base/print.h"
#include "engine/syscalls/calls.h"
#include "export/syscalls/syscalls_origin.h"

static void begin(struct syscalls_export *x)
{
    fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [", x->out);
}

/* Microseconds since the first event. */
static double microseconds_since_first(const struct syscalls_export *x, uint64_t ns)
{
    return ((double)ns - (double)x->first_ns) / 1e3;
}

static void open_chrome_call(struct syscalls_export *x, const struct syscall_event *e,
                             const char *phase, const char *name)
{
    print_json(x->out, "%s\n{\"ph\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d",
               x->any ? "," : "", phase, name, (int)e->pid, (int)e->tid);
    x->any = true;
}

static void write_chrome_origin(struct syscalls_export *x, const struct syscall_stack *stack)
{
    char text[512];
    if (x->options.source)
        print_json(x->out, ", \"source\": \"%s\"", syscalls_origin(stack, text, sizeof text));
    if (!x->options.stacks)
        return;
    fputs(", \"stack\": [", x->out);
    for (uint32_t i = 0; i < stack->n; i++)
        print_json(x->out, "%s\"%s\"", i ? ", " : "",
                   syscall_frame_name(stack->frames[i], text, sizeof text));
    fputc(']', x->out);
}

/* Writes the begin or the end of an operation, which have the same number. */
static void operation_at(struct syscalls_export *x, uint64_t ns)
{
    fprintf(x->out, ", \"cat\": \"io_uring\", \"id\": %llu, \"ts\": %.3f",
            (unsigned long long)x->operations, microseconds_since_first(x, ns));
}

static void write_chrome_call(struct syscalls_export *x, const struct syscall_event *e)
{
    char *args = syscalls_args_text(e);
    const char *error = syscall_failed(e) ? syscall_errno_name((int)-e->result) : NULL;
    const bool beside = syscall_is_operation(e);
    open_chrome_call(x, e, beside ? "b" : "X", syscall_name(e->abi, e->number));
    if (beside) /* an operation may overlap the slices of its thread */
        operation_at(x, e->begin_ns);
    else
        fprintf(x->out, ", \"cat\": \"syscall\", \"ts\": %.3f, \"dur\": %.3f",
                microseconds_since_first(x, e->begin_ns), (double)(e->end_ns - e->begin_ns) / 1e3);
    print_json(x->out, ", \"args\": {\"arguments\": \"%s\"", args);
    if (!(e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT)))
        fprintf(x->out, ", \"result\": %lld", (long long)e->result);
    if (error)
        print_json(x->out, ", \"error\": \"%s\"", error);
    if (e->stack)
        write_chrome_origin(x, e->stack);
    fputs("}}", x->out);
    free(args);
    if (!beside)
        return;
    open_chrome_call(x, e, "e", syscall_name(e->abi, e->number));
    operation_at(x, e->end_ns);
    fputc('}', x->out);
    x->operations++;
}

static void event(struct syscalls_export *x, const struct syscall_event *e)
{
    if (e->kind == SYSCALL_CALL && !(e->flags & SYSCALL_NO_TIMES))
        write_chrome_call(x, e);
    else if (e->kind == SYSCALL_EXEC || (e->kind == SYSCALL_START && e->tid == e->pid)) {
        open_chrome_call(x, e, "M", "process_name");
        fputs(", \"args\": {\"name\": \"", x->out);
        uint32_t n = 0;
        while (n < e->nbytes && e->bytes[n])
            n++;
        print_put_n(x->out, PRINT_JSON, (const char *)e->bytes, n);
        fputs("\"}}", x->out);
    } else if (e->kind == SYSCALL_SIGNAL) {
        const char *name = syscall_signal_name((int)e->result);
        open_chrome_call(x, e, "i", name ? name : "signal");
        fprintf(x->out, ", \"s\": \"t\", \"ts\": %.3f}", microseconds_since_first(x, e->end_ns));
    }
}

static void end(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    (void)end;
    fputs("\n]}\n", x->out);
}

const struct syscall_format syscall_format_chrome = {
    .name = "chrome", .begin = begin, .event = event, .end = end};
