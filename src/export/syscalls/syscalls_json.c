/*
 * JSON: renacer-json-v1 with more fields, a call on each line. docs/SYSCALLS.md lists the fields,
 * from which a reader restores the events.
 */
#include <fcntl.h>
#include <stdlib.h>

#include "base/print.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/roles.h"
#include "export/syscalls/syscalls_origin.h"

#define SCHEMA "rooftop.trace/1"

static void write_json_head(FILE *out)
{
    print_json(out, "{\n  \"version\": \"%s\",\n  \"format\": \"renacer-json-v1\",\n",
               ROOFTOP_VERSION);
    print_json(out, "  \"schema\": \"%s\",\n", SCHEMA);
}

static void begin(struct syscalls_export *x)
{
    x->aside = tmpfile();
    if (x->aside) /* the traced program starts later and must not inherit it */
        fcntl(fileno(x->aside), F_SETFD, FD_CLOEXEC);
    write_json_head(x->out);
    fputs("  \"syscalls\": [", x->out);
}

/* Writes numbers in hexadecimal, because many readers of JSON round large decimal ones. */
static void hex_list(FILE *out, const char *name, const uint64_t *list, size_t n)
{
    print_json(out, ", \"%s\": [", name);
    for (size_t i = 0; i < n; i++)
        print_json(out, "%s\"0x%llx\"", i ? ", " : "", (unsigned long long)list[i]);
    fputc(']', out);
}

static void write_json_pieces(FILE *out, const struct syscall_event *e)
{
    fputs(", \"memory\": [", out);
    for (uint32_t i = 0; i < e->npieces; i++) {
        const struct syscall_piece *p = &e->pieces[i];
        print_json(out, "%s{\"address\": \"0x%llx\"", i ? ", " : "",
                   (unsigned long long)p->address);
        fputs(p->at_return ? ", \"at_return\": true" : "", out);
        fputs(p->cut ? ", \"cut\": true" : "", out);
        fputs(", \"hex\": \"", out);
        for (uint32_t k = 0; k < p->size; k++)
            fprintf(out, "%02x", e->bytes[p->offset + k]);
        fputs("\"}", out);
    }
    fputc(']', out);
}

static void write_json_decoded(FILE *out, const struct syscall_event *e, unsigned n)
{
    fputs(", \"decoded\": [", out);
    for (unsigned i = 0; i < n; i++) {
        char *text = syscalls_arg_text(e, i);
        print_json(out, "%s\"%s\"", i ? ", " : "", text);
        free(text);
    }
    fputc(']', out);
}

static void write_json_flags(FILE *out, const struct syscall_event *e)
{
    static const struct {
        unsigned bit;
        const char *name;
    } list[] = {{SYSCALL_UNFINISHED, "unfinished"},
                {SYSCALL_RESTARTS, "restarts"},
                {SYSCALL_NO_TIMES, "no_times"},
                {SYSCALL_NO_ENTRY, "no_entry"},
                {SYSCALL_NO_RESULT, "no_result"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (e->flags & list[i].bit)
            print_json(out, ", \"%s\": true", list[i].name);
}

static void write_json_call(struct syscalls_export *x, const struct syscall_event *e)
{
    const unsigned n = syscall_nargs(e->abi, e->number);
    FILE *out = x->out;
    print_json(out, "%s\n    {\"name\": \"%s\"", x->any ? "," : "",
               syscall_name(e->abi, e->number));
    x->any = true;
    hex_list(out, "args", e->args, n);
    fprintf(out, ", \"result\": %lld", (long long)e->result);
    if (!(e->flags & SYSCALL_NO_TIMES))
        fprintf(out, ", \"duration_us\": %llu",
                (unsigned long long)((e->end_ns - e->begin_ns) / 1000));
    fprintf(out, ", \"pid\": %d, \"tid\": %d, \"begin_ns\": %llu, \"end_ns\": %llu, \"number\": %u",
            (int)e->pid, (int)e->tid, (unsigned long long)e->begin_ns,
            (unsigned long long)e->end_ns, e->number);
    print_json(out, ", \"abi\": \"%s\", \"by\": \"%s\"", syscalls_abi_name(e->abi),
               syscalls_way_name(e->way));
    if (syscall_failed(e)) {
        const char *name = syscall_errno_name((int)-e->result);
        if (name)
            print_json(out, ", \"errno\": \"%s\"", name);
    }
    write_json_flags(out, e);
    write_json_decoded(out, e, n);
    if (e->npieces > 0)
        write_json_pieces(out, e);
    syscalls_origin_json(x, out, e->stack);
    fputc('}', out);
}

static void write_json_texts(FILE *out, const struct syscall_event *e)
{
    fputs(", \"texts\": [", out);
    for (uint32_t i = 0; i < e->nbytes;) {
        const char *text = (const char *)e->bytes + i;
        uint32_t n = 0;
        while (i + n < e->nbytes && text[n])
            n++;
        fputs(i ? ", \"" : "\"", out);
        print_put_n(out, PRINT_JSON, text, n);
        fputc('"', out);
        i += n + 1;
    }
    fputc(']', out);
}

static void write_json_event(struct syscalls_export *x, const struct syscall_event *e)
{
    static const char *const names[SYSCALL_KINDS] = {
        [SYSCALL_START] = "start",   [SYSCALL_EXEC] = "exec", [SYSCALL_EXIT] = "exit",
        [SYSCALL_SIGNAL] = "signal", [SYSCALL_STOP] = "stop", [SYSCALL_LOST] = "lost"};
    FILE *out = x->aside;
    if (!out || e->kind >= SYSCALL_KINDS || !names[e->kind])
        return;
    print_json(out, "%s\n    {\"event\": \"%s\"", ftell(out) > 0 ? "," : "", names[e->kind]);
    fprintf(out, ", \"pid\": %d, \"tid\": %d, \"ns\": %llu", (int)e->pid, (int)e->tid,
            (unsigned long long)e->end_ns);
    if (e->parent)
        fprintf(out, ", \"parent\": %d", (int)e->parent);
    if (e->result)
        fprintf(out, ", \"result\": %lld", (long long)e->result);
    const char *signal = e->kind == SYSCALL_SIGNAL ? syscall_signal_name((int)e->result) : NULL;
    if (signal)
        print_json(out, ", \"signal\": \"%s\"", signal);
    if (e->args[0] || e->args[1] || e->args[2])
        hex_list(out, "args", e->args, 3);
    if (e->nbytes > 0)
        write_json_texts(out, e);
    syscalls_origin_json(x, out, e->stack);
    fputc('}', out);
}

static void event(struct syscalls_export *x, const struct syscall_event *e)
{
    if (e->kind == SYSCALL_CALL)
        write_json_call(x, e);
    else
        write_json_event(x, e);
}

static void copy_aside(struct syscalls_export *x)
{
    char part[8192];
    size_t n;
    x->torn = !x->aside || fflush(x->aside) != 0 || ferror(x->aside);
    if (!x->aside)
        return;
    rewind(x->aside);
    while ((n = fread(part, 1, sizeof part, x->aside)) > 0)
        fwrite(part, 1, n, x->out); /* raw: what print_json wrote */
    fclose(x->aside);
    x->aside = NULL;
}

static void write_json_summary(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    const struct tracer_result *r = end->result;
    FILE *out = x->out;
    bool any = false;
    fprintf(
        out,
        "  \"summary\": {\"total_syscalls\": %llu, \"total_time_us\": %llu, \"exit_code\": %d,\n"
        "    \"errors\": %llu, \"unfinished\": %llu, \"lost\": %llu, \"io_uring_rings\": %llu,\n"
        "    ",
        (unsigned long long)x->sums.calls + x->unfinished,
        (unsigned long long)(x->sums.total_ns / 1000), end->exit_code,
        (unsigned long long)x->sums.errors, (unsigned long long)x->unfinished,
        (unsigned long long)r->lost, (unsigned long long)r->rings);
    if (r->sees_operations)
        fprintf(out, "\"io_uring_operations\": %llu, \"io_uring_incomplete\": %llu,\n    ",
                (unsigned long long)r->operations, (unsigned long long)r->incomplete);
    fputs("\"mechanisms\": {", out);
    for (unsigned i = 0; i < SYSCALL_WAYS; i++)
        if (r->calls[i]) {
            print_json(out, "%s\"%s\": %llu", any ? ", " : "", syscalls_way_name(i),
                       (unsigned long long)r->calls[i]);
            any = true;
        }
    fputs("}, \"notes\": [", out);
    for (size_t i = 0; i < TRACER_NOTES && r->notes[i][0]; i++)
        print_json(out, "%s\"%s\"", i ? ", " : "", r->notes[i]);
    fputs("]}", out);
}

static void end(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    fputs("\n  ],\n  \"events\": [", x->out);
    copy_aside(x);
    fputs("\n  ],\n", x->out);
    if (x->options.stacks)
        syscalls_stacks_json(x);
    write_json_summary(x, end);
    fputs("\n}\n", x->out);
}

static void write_json_counts(struct syscalls_export *x)
{
    const struct syscall_sum **list = syscalls_sorted(&x->sums);
    FILE *out = x->out;
    char name[64];
    fputs("  \"counts\": [", out);
    for (size_t i = 0; list[i]; i++) {
        const struct syscall_sum *s = list[i];
        print_json(out, "%s\n    {\"name\": \"%s\", \"calls\": %llu, \"errors\": %llu",
                   i ? "," : "", syscalls_name(s->abi, s->number, name, sizeof name),
                   (unsigned long long)s->calls, (unsigned long long)s->errors);
        fprintf(out,
                ", \"total_ns\": %llu, \"mean_ns\": %.1f, \"sd_ns\": %.1f, \"min_ns\": %llu, "
                "\"max_ns\": %llu",
                (unsigned long long)s->total_ns, syscalls_mean(s) * 1e9,
                syscalls_deviation(s) * 1e9, (unsigned long long)(s->times.total ? s->min_ns : 0),
                (unsigned long long)s->max_ns);
        for (int q = 0; q < SYSCALLS_QUANTILES; q++)
            fprintf(out, ", \"p%.0f_ns\": %.0f", 100 * syscalls_quantiles[q],
                    syscall_sum_quantile(s, syscalls_quantiles[q]));
        fprintf(out, ", \"bytes\": %llu", (unsigned long long)s->bytes);
        if (s->waits)
            fprintf(out, ", \"waiting_calls\": %llu, \"waiting_ns\": %llu",
                    (unsigned long long)s->waits, (unsigned long long)s->wait_ns);
        fputs(syscall_waits(name) ? ", \"waits\": true}" : "}", out);
    }
    fputs("\n  ],\n", out);
    free(list);
}

static void counts(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    write_json_head(x->out);
    if (x->options.counts)
        write_json_counts(x);
    if (x->options.functions)
        syscalls_functions_json(x);
    write_json_summary(x, end);
    fputs("\n}\n", x->out);
}

const struct syscall_format syscall_format_json = {
    .name = "json", .begin = begin, .event = event, .end = end, .counts = counts};
