#include "export/syscalls/syscalls_export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/decode/decode.h"

static const struct syscall_format *const syscall_formats[] = {
    &syscall_format_text,   &syscall_format_json,   &syscall_format_csv,   &syscall_format_html,
    &syscall_format_chrome, &syscall_format_folded, &syscall_format_brief, NULL};

const double syscalls_quantiles[SYSCALLS_QUANTILES] = {0.5, 0.75, 0.9, 0.95, 0.99};

const struct syscall_format *syscall_format_find(const char *name)
{
    for (size_t i = 0; syscall_formats[i]; i++)
        if (strcmp(syscall_formats[i]->name, name) == 0)
            return syscall_formats[i];
    return NULL;
}

/* Whether only sums are wanted. */
static bool is_sums(const struct syscalls_export *x)
{
    return x->options.counts || x->options.functions;
}

void syscalls_export_begin(struct syscalls_export *x, FILE *out,
                           const struct syscall_format *format,
                           const struct syscalls_export_options *options)
{
    *x = (struct syscalls_export){.out = out, .format = format, .options = *options};
    x->functions.slow_ns = options->slow_ns;
    x->descriptors = options->counts ? descriptors_new() : NULL;
    if (!is_sums(x))
        format->begin(x);
}

/* Past so many files, pipes and sockets no further ones are followed: memory is bounded, and their
 * calls count as work. */
enum { OBJECTS_MOST = 100000 };

static void follow_descriptors(struct syscalls_export *x, const struct syscall_event *e)
{
    if (!x->descriptors)
        return;
    if (!(e->flags & SYSCALL_UNFINISHED) && descriptors_waited(x->descriptors, e))
        syscall_sums_add_wait(&x->sums, e);
    if (descriptors_count(x->descriptors) < OBJECTS_MOST)
        descriptors_follow(x->descriptors, e);
}

void syscalls_export_event(struct syscalls_export *x, const struct syscall_event *e)
{
    if (!x->first_ns)
        x->first_ns = e->begin_ns;
    if (e->kind == SYSCALL_CALL && (e->flags & SYSCALL_UNFINISHED))
        x->unfinished++;
    else if (e->kind == SYSCALL_CALL) {
        syscall_sums_add(&x->sums, e);
        if (x->options.functions || x->format == &syscall_format_folded)
            syscall_functions_add(&x->functions, e);
    }
    follow_descriptors(x, e);
    if (!is_sums(x))
        x->format->event(x, e);
}

void syscalls_export_tick(struct syscalls_export *x)
{
    if (!is_sums(x) && x->format->tick)
        x->format->tick(x);
}

void syscalls_export_end(struct syscalls_export *x, const struct syscalls_export_end *end)
{
    if (is_sums(x))
        x->format->counts(x, end);
    else
        x->format->end(x, end);
    syscall_sums_free(&x->sums);
    syscall_functions_free(&x->functions);
    descriptors_free(x->descriptors);
    x->descriptors = NULL;
    free(x->stacks);
    x->stacks = NULL;
}

/* --- functions for the formats --- */

static int compare_call_sums(const void *a, const void *b)
{
    const struct syscall_sum *x = *(const struct syscall_sum *const *)a,
                             *y = *(const struct syscall_sum *const *)b;
    if (x->total_ns != y->total_ns)
        return x->total_ns < y->total_ns ? 1 : -1;
    if (x->calls != y->calls)
        return x->calls < y->calls ? 1 : -1;
    if (x->abi != y->abi)
        return x->abi < y->abi ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

const struct syscall_sum **syscalls_sorted(const struct syscall_sums *s)
{
    const struct syscall_sum **list = xcalloc(s->n + 1, sizeof *list);
    for (size_t i = 0; i < s->n; i++)
        list[i] = &s->list[i];
    qsort(list, s->n, sizeof *list, compare_call_sums);
    return list;
}

const char *syscalls_abi_name(unsigned abi)
{
    static const char *const names[] = {
        [SYSCALL_X86_64] = "x86-64", [SYSCALL_I386] = "i386",   [SYSCALL_X32] = "x32",
        [SYSCALL_ARM64] = "arm64",   [SYSCALL_ARM32] = "arm32", [SYSCALL_URING] = "io_uring"};
    return abi < SYSCALL_ABIS ? names[abi] : "unknown";
}

const char *syscalls_way_name(unsigned way)
{
    static const char *const names[] = {
        [SYSCALL_BY_PTRACE] = "ptrace",     [SYSCALL_BY_SECCOMP] = "seccomp",
        [SYSCALL_BY_NOTIFY] = "notify",     [SYSCALL_BY_PERF] = "perf",
        [SYSCALL_BY_BPF] = "bpf",           [SYSCALL_BY_PATCH] = "patch",
        [SYSCALL_BY_DISPATCH] = "dispatch", [SYSCALL_BY_FILE] = "file"};
    return way < SYSCALL_WAYS ? names[way] : "unknown";
}

const char *syscalls_name(unsigned abi, uint32_t number, char *out, size_t size)
{
    const bool own = abi == SYSCALL_X86_64 || abi == SYSCALL_ARM64 || abi >= SYSCALL_URING;
    print_line(out, size, own ? "%s" : "%s [%s]", syscall_name(abi, number),
               syscalls_abi_name(abi));
    return out;
}

double syscalls_mean(const struct syscall_sum *s)
{
    return s->times.total ? (double)s->total_ns / 1e9 / (double)s->times.total : 0;
}

double syscalls_deviation(const struct syscall_sum *s)
{
    const double n = (double)s->times.total, mean = syscalls_mean(s) * 1e9;
    const double square = n > 1 ? (s->squares - n * mean * mean) / (n - 1) : 0;
    return square > 0 ? sqrt(square) / 1e9 : 0;
}

char *syscalls_arg_text(const struct syscall_event *e, unsigned arg)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    if (!f)
        return xstrdup("");
    syscall_write_arg(f, e, arg, NULL);
    fclose(f);
    return text;
}

char *syscalls_args_text(const struct syscall_event *e)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    if (!f)
        return xstrdup("");
    syscall_write_args(f, e, NULL);
    fclose(f);
    return text;
}
