/* The time in system calls by function, and by stack: tables, JSON, CSV, folded stacks. */
#include <inttypes.h>

#include "base/print.h"
#include "engine/value/value.h"
#include "export/syscalls/syscalls_origin.h"

enum { PATHS_SHOWN = 10 };

static const char *calling_function_of(const struct syscall_function *f)
{
    if (f->name[0])
        return f->name;
    return f->module[0] ? "(no name)" : "(no stack)";
}

static const char *calling_module_of(const struct syscall_function *f)
{
    return syscall_frame_module(&(struct syscall_frame){.module = f->module});
}

/* Writes "main > load > read", the call last; unnamed frames have their address. */
static void path_text(FILE *out, const struct syscall_path *p, enum print_form form,
                      const char *between)
{
    char name[160];
    for (uint32_t i = p->stack ? p->stack->n : 0; i > 0; i--) {
        print_put(out, form, syscall_frame_name(p->stack->frames[i - 1], name, sizeof name));
        fputs(between, out); /* raw: our own */
    }
    print_put(out, form, syscalls_name(p->abi, p->number, name, sizeof name));
}

void syscalls_functions_text(struct syscalls_export *x)
{
    struct syscall_functions *f = &x->functions;
    FILE *out = x->out;
    char time[VALUE_TEXT_MAX], own[VALUE_TEXT_MAX], slow[VALUE_TEXT_MAX];
    syscall_functions_sort(f);
    fputs("% time    total      own own calls  own I/O  slow I/O     calls function\n", out);
    fputs("------ -------- -------- --------- -------- --------- --------- ----------------\n",
          out);
    for (size_t i = 0; i < f->n; i++) {
        const struct syscall_function *r = &f->list[i];
        fprintf(out, "%6.2f ", f->total_ns ? 100 * (double)r->total_ns / (double)f->total_ns : 0);
        print_text(out, "%8s %8s %9" PRIu64 " %8" PRIu64 " %9" PRIu64 " %9" PRIu64 " ",
                   value_time((double)r->total_ns, true, time),
                   value_time((double)r->own_ns, true, own), r->own_calls, r->own_io, r->own_slow,
                   r->calls);
        print_text(out, *r->module ? "%s (%s)\n" : "%s\n", calling_function_of(r),
                   calling_module_of(r));
    }
    print_text(out,
               "%" PRIu64 " calls, %s; %" PRIu64 " of them input and output, %" PRIu64
               " of those longer than %s\n",
               f->calls, value_time((double)f->total_ns, true, time), f->io, f->slow,
               value_time((double)f->slow_ns, true, slow));
    if (f->npaths > 0)
        fputs("\nStacks with most time:\n", out);
    for (size_t i = 0; i < f->npaths && i < PATHS_SHOWN; i++) {
        print_text(out, "%11s %9" PRIu64 " calls  ",
                   value_time((double)f->paths[i].total_ns, true, time), f->paths[i].calls);
        path_text(out, &f->paths[i], PRINT_TEXT, " > ");
        fputc('\n', out);
    }
}

void syscalls_functions_json(struct syscalls_export *x)
{
    struct syscall_functions *f = &x->functions;
    FILE *out = x->out;
    syscall_functions_sort(f);
    fprintf(out, "  \"slow_ns\": %" PRIu64 ",\n  \"functions\": [", f->slow_ns);
    for (size_t i = 0; i < f->n; i++) {
        const struct syscall_function *r = &f->list[i];
        print_json(out, "%s\n    {\"function\": \"%s\", \"module\": \"%s\"", i ? "," : "", r->name,
                   r->module);
        fprintf(out,
                ", \"calls\": %" PRIu64 ", \"total_ns\": %" PRIu64 ", \"own_calls\": %" PRIu64
                ", \"own_ns\": %" PRIu64 ", \"own_io\": %" PRIu64 ", \"own_slow_io\": %" PRIu64 "}",
                r->calls, r->total_ns, r->own_calls, r->own_ns, r->own_io, r->own_slow);
    }
    fputs("\n  ],\n", out);
}

void syscalls_functions_csv(struct syscalls_export *x)
{
    struct syscall_functions *f = &x->functions;
    syscall_functions_sort(f);
    fputs("function,module,calls,total_ns,own_calls,own_ns,own_io,own_slow_io\n", x->out);
    for (size_t i = 0; i < f->n; i++) {
        const struct syscall_function *r = &f->list[i];
        print_csv(x->out, "%s,%s", r->name, r->module);
        fprintf(x->out,
                ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                r->calls, r->total_ns, r->own_calls, r->own_ns, r->own_io, r->own_slow);
    }
}

/* --- folded stacks --- */

static void folded_begin(struct syscalls_export *x)
{
    (void)x;
}

static void folded_event(struct syscalls_export *x, const struct syscall_event *e)
{
    (void)x;
    (void)e;
}

/* The time of each stack in nanoseconds, for flame graph tools. */
static void folded_end(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    struct syscall_functions *f = &x->functions;
    (void)end;
    syscall_functions_sort(f);
    for (size_t i = 0; i < f->npaths; i++) {
        if (f->paths[i].total_ns == 0)
            continue;
        path_text(x->out, &f->paths[i], PRINT_FOLDED, ";");
        fprintf(x->out, " %" PRIu64 "\n", f->paths[i].total_ns);
    }
}

const struct syscall_format syscall_format_folded = {
    .name = "folded", .begin = folded_begin, .event = folded_event, .end = folded_end};
