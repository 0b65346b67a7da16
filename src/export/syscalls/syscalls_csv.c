/* CSV: first the columns of renacer, then those of rooftop. */
#include <stdlib.h>

#include "base/print.h"
#include "engine/syscalls/calls.h"
#include "export/syscalls/syscalls_origin.h"

static void begin(struct syscalls_export *x)
{
    fputs("syscall,arguments,result,", x->out);
    if (x->options.times)
        fputs("duration,", x->out);
    if (x->options.source)
        fputs("source_location,", x->out);
    fputs("error,pid,tid,start_ns,end_ns,abi,mechanism\n", x->out);
}

static void event(struct syscalls_export *x, const struct syscall_event *e)
{
    if (e->kind != SYSCALL_CALL)
        return;
    const bool known = !(e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT));
    const char *error = syscall_failed(e) ? syscall_errno_name((int)-e->result) : NULL;
    char *args = syscalls_args_text(e), *all = NULL;
    size_t n;
    FILE *f = open_memstream(&all, &n);
    if (f) {
        print_text(f, "(%s)", args);
        fclose(f);
    }
    print_csv(x->out, "%s,", syscall_name(e->abi, e->number));
    print_csv_quoted(x->out, all ? all : "");
    if (known)
        fprintf(x->out, ",%lld", (long long)e->result);
    else
        fputc(',', x->out);
    if (x->options.times && known)
        fprintf(x->out, ",%lluus", (unsigned long long)((e->end_ns - e->begin_ns) / 1000));
    else if (x->options.times)
        fputc(',', x->out);
    if (x->options.source) {
        char origin[512];
        print_csv(x->out, ",%s", syscalls_origin(e->stack, origin, sizeof origin));
    }
    print_csv(x->out, ",%s,%d,%d,%llu,%llu,%s,%s\n", error ? error : "", (int)e->pid, (int)e->tid,
              (unsigned long long)e->begin_ns, (unsigned long long)e->end_ns,
              syscalls_abi_name(e->abi), syscalls_way_name(e->way));
    free(args);
    free(all);
}

static void end(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    (void)x;
    (void)end;
}

static void write_csv_calls(struct syscalls_export *x)
{
    const struct syscall_sum **list = syscalls_sorted(&x->sums);
    char name[64];
    fputs("syscall,calls,errors,total_time", x->out);
    if (x->options.extended)
        fputs(",mean_us,stddev_us,min_us,max_us,p50_us,p75_us,p90_us,p95_us,p99_us,bytes", x->out);
    fputc('\n', x->out);
    for (size_t i = 0; list[i]; i++) {
        const struct syscall_sum *s = list[i];
        print_csv(x->out, "%s,%llu,%llu,%lluus",
                  syscalls_name(s->abi, s->number, name, sizeof name), (unsigned long long)s->calls,
                  (unsigned long long)s->errors, (unsigned long long)(s->total_ns / 1000));
        if (x->options.extended) {
            const uint64_t least = s->times.total ? s->min_ns : 0;
            fprintf(x->out, ",%.3f,%.3f,%.3f,%.3f", syscalls_mean(s) * 1e6,
                    syscalls_deviation(s) * 1e6, (double)least / 1e3, (double)s->max_ns / 1e3);
            for (int q = 0; q < SYSCALLS_QUANTILES; q++)
                fprintf(x->out, ",%.3f", syscall_sum_quantile(s, syscalls_quantiles[q]) / 1e3);
            fprintf(x->out, ",%llu", (unsigned long long)s->bytes);
        }
        fputc('\n', x->out);
    }
    free(list);
}

static void counts(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    (void)end;
    if (x->options.counts)
        write_csv_calls(x);
    if (x->options.counts && x->options.functions)
        fputc('\n', x->out);
    if (x->options.functions)
        syscalls_functions_csv(x);
}

const struct syscall_format syscall_format_csv = {
    .name = "csv", .begin = begin, .event = event, .end = end, .counts = counts};
