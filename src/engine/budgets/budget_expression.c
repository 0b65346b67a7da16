/*
 * The expression of `custom`: comparisons of formulas, joined by `and` or `or`; `and` binds
 * tighter.
 *
 *   openat.calls <= 20 and wall_ms < 50 or processes == 1
 *
 * Names: wall_ms, call_ms, calls, errors, processes, started, files, mapped_bytes, rss_bytes,
 * exit_status; and for a system call NAME: NAME.calls, NAME.errors, NAME.ms, NAME.max_ms,
 * NAME.p99_ms, NAME.bytes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/nearest.h"
#include "engine/budgets/budgets_impl.h"
#include "engine/syscalls/calls.h"
#include "engine/value/formula.h"

enum { NAMES_MAX = 64 };

/* The names of one formula, and their values. */
struct names {
    const struct budget_run *run;
    double values[NAMES_MAX];
    int n;
    unsigned needs; /* enum budget_need, of all of them */
};

static double wall_ms(const struct budget_run *run)
{
    uint64_t ns = run->wall_ns ? run->wall_ns : run->facts->end_ns - run->facts->begin_ns;
    return (double)ns / 1e6;
}
static double call_ms(const struct budget_run *run)
{
    return (double)run->facts->sums.total_ns / 1e6;
}
static double fact_calls(const struct budget_run *run)
{
    return (double)run->facts->calls;
}
static double count_failed_calls(const struct budget_run *run)
{
    return (double)run->facts->errors;
}
static double count_run_processes(const struct budget_run *run)
{
    return (double)run->facts->nprocesses;
}
static double count_started_processes(const struct budget_run *run)
{
    return (double)run->facts->started;
}
static double count_made_files(const struct budget_run *run)
{
    double n = 0;
    for (size_t i = 0; i < descriptors_count(run->facts->descriptors); i++) {
        const struct descriptor_object *o = descriptors_at(run->facts->descriptors, i);
        n += o->kind == DESCRIPTOR_FILE ? o->made : 0;
    }
    return n;
}
static double mapped_bytes(const struct budget_run *run)
{
    return (double)run->facts->mapped_peak;
}
static double rss_bytes(const struct budget_run *run)
{
    double most = 0;
    for (size_t i = 0; i < run->facts->nprocesses; i++)
        if ((double)run->facts->processes[i].resident_peak > most)
            most = (double)run->facts->processes[i].resident_peak;
    return most;
}
static double find_exit_value(const struct budget_run *run)
{
    return WIFSIGNALED(run->status) ? 128 + WTERMSIG(run->status) : WEXITSTATUS(run->status);
}

static const struct {
    const char *name;
    double (*value)(const struct budget_run *run);
    unsigned needs;
} run_names[] = {
    {"wall_ms", wall_ms, NEEDS_WALL},
    {"call_ms", call_ms, NEEDS_CALLS | NEEDS_TIMES},
    {"calls", fact_calls, NEEDS_CALLS},
    {"errors", count_failed_calls, NEEDS_CALLS},
    {"processes", count_run_processes, NEEDS_CALLS},
    {"started", count_started_processes, NEEDS_CALLS},
    {"files", count_made_files, NEEDS_CALLS},
    {"mapped_bytes", mapped_bytes, NEEDS_CALLS},
    {"rss_bytes", rss_bytes, NEEDS_CALLS | NEEDS_RESIDENT},
    {"exit_status", find_exit_value, NEEDS_END},
};

static double sum_calls(const struct syscall_sum *s)
{
    return (double)s->calls;
}
static double sum_errors(const struct syscall_sum *s)
{
    return (double)s->errors;
}
static double sum_ms(const struct syscall_sum *s)
{
    return (double)s->total_ns / 1e6;
}
static double sum_max(const struct syscall_sum *s)
{
    return (double)s->max_ns / 1e6;
}
static double sum_p99(const struct syscall_sum *s)
{
    return syscall_sum_quantile(s, 0.99) / 1e6;
}
static double count_call_bytes(const struct syscall_sum *s)
{
    return (double)s->bytes;
}

static const struct {
    const char *name;
    double (*value)(const struct syscall_sum *s);
    unsigned needs;
} call_names[] = {
    {"CALL.calls", sum_calls, NEEDS_CALLS},
    {"CALL.errors", sum_errors, NEEDS_CALLS},
    {"CALL.ms", sum_ms, NEEDS_CALLS | NEEDS_TIMES},
    {"CALL.bytes", count_call_bytes, NEEDS_CALLS},
    {"CALL.max_ms", sum_max, NEEDS_CALLS | NEEDS_TIMES},
    {"CALL.p99_ms", sum_p99, NEEDS_CALLS | NEEDS_TIMES},
};

const char *budget_expression_name(size_t i)
{
    const size_t n = sizeof run_names / sizeof *run_names;
    if (i < n)
        return run_names[i].name;
    return i - n < sizeof call_names / sizeof *call_names ? call_names[i - n].name : NULL;
}

static int keep_value(struct names *names, double value, unsigned needs)
{
    names->needs |= needs;
    names->values[names->n] = value;
    return names->n++;
}

static int bind_call(struct names *names, const char *name, const char *dot)
{
    char call[FORMULA_NAME_MAX];
    snprintf(call, sizeof call, "%.*s", (int)(dot - name), name);
    bool known = false;
    for (unsigned abi = 0; abi < SYSCALL_ABIS; abi++)
        known |= syscall_number(abi, call) >= 0;
    for (size_t i = 0; known && i < sizeof call_names / sizeof *call_names; i++) {
        if (strcmp(call_names[i].name + strlen("CALL."), dot + 1) != 0)
            continue;
        double value = 0;
        const struct syscall_sums *sums = names->run ? &names->run->facts->sums : NULL;
        for (size_t k = 0; sums && k < sums->n; k++)
            if (strcmp(syscall_name(sums->list[k].abi, sums->list[k].number), call) == 0)
                value += call_names[i].value(&sums->list[k]);
        return keep_value(names, value, call_names[i].needs);
    }
    return -1;
}

static int bind_budget_name(void *ctx, const char *name, char why[192])
{
    struct names *names = ctx;
    struct nearest near;
    nearest_start(&near, name);
    if (names->n == NAMES_MAX) {
        snprintf(why, 192, "more than %d names", NAMES_MAX);
        return -1;
    }
    const char *dot = strrchr(name, '.');
    int slot = dot ? bind_call(names, name, dot) : -1;
    if (slot >= 0)
        return slot;
    for (size_t i = 0; i < sizeof run_names / sizeof *run_names; i++) {
        if (strcmp(run_names[i].name, name) == 0)
            return keep_value(names, names->run ? run_names[i].value(names->run) : 0,
                              run_names[i].needs);
        nearest_offer(&near, run_names[i].name);
    }
    const char *found = nearest_found(&near);
    snprintf(why, 192, "no value is called %.80s%s%.60s%s", name, found ? "; did you mean " : "",
             found ? found : "", found ? "?" : "");
    return -1;
}

/* Evaluates text[0..n), a formula. base: its position in the whole text, for messages. */
static int evaluate_budget_part(const char *text, size_t n, size_t base,
                                const struct budget_run *run, double *out, struct error *err)
{
    struct names names = {.run = run};
    struct formula *f = NULL;
    char *part = xcalloc(n + 1, 1);
    memcpy(part, text, n);
    struct error inner = ERROR_INIT;
    int rc = formula_compile(&f, part, bind_budget_name, &names, &inner);
    const char *why = rc == 0 && run ? budget_lack(run, names.needs) : NULL;
    int column = 0;
    if (why) {
        rc = error_set(err, ERROR_INPUT, ENODATA, NULL, "expression", "%s", why);
    } else if (rc != 0) {
        sscanf(inner.what, "column %d", &column);
        char what[64];
        snprintf(what, sizeof what, "column %zu", base + (size_t)(column > 0 ? column : 1));
        rc = error_set(err, ERROR_INPUT, EINVAL, NULL, what, "%s", inner.why);
    } else if (run && formula_evaluate(f, names.values, out, &why) != 0) {
        rc = error_set(err, ERROR_INPUT, EDOM, NULL, "expression", "divides by 0: %s", why);
    }
    formula_free(f);
    free(part);
    return rc;
}

static const char *const comparisons[] = {"<=", ">=", "==", "!=", "<", ">"};

static bool does_comparison_hold(const char *op, double a, double b)
{
    switch (op[0]) {
    case '<':
        return op[1] ? a <= b : a < b;
    case '>':
        return op[1] ? a >= b : a > b;
    case '=':
        return a == b;
    default:
        return a != b;
    }
}

static int read_budget_comparison(const char *text, size_t from, size_t to,
                                  const struct budget_run *run, bool *holds, struct error *err)
{
    for (size_t at = from; at < to; at++)
        for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
            size_t n = strlen(comparisons[i]);
            if (at + n > to || strncmp(text + at, comparisons[i], n) != 0)
                continue;
            double a = 0, b = 0;
            int rc = evaluate_budget_part(text + from, at - from, from, run, &a, err);
            if (rc == 0)
                rc = evaluate_budget_part(text + at + n, to - at - n, at + n, run, &b, err);
            *holds = does_comparison_hold(comparisons[i], a, b);
            return rc;
        }
    char what[64];
    snprintf(what, sizeof what, "column %zu", from + 1);
    return error_set(err, ERROR_INPUT, EINVAL, NULL, what,
                     "a comparison is missing: < <= > >= == or !=");
}

/* The end of the part that begins at `from`: before `and` or `or`, or at the end of the text. */
static size_t until_word(const char *text, size_t from, size_t to, const char *word)
{
    size_t n = strlen(word);
    for (size_t at = from; at + n <= to; at++)
        if (strncmp(text + at, word, n) == 0)
            return at;
    return to;
}

static int read_budget_conjunction(const char *text, size_t from, size_t to,
                                   const struct budget_run *run, bool *holds, struct error *err)
{
    bool all = true;
    int rc = 0;
    for (size_t at = from; rc == 0;) {
        size_t end = until_word(text, at, to, " and ");
        bool one = false;
        rc = read_budget_comparison(text, at, end, run, &one, err);
        all &= one;
        if (end == to)
            break;
        at = end + strlen(" and ");
    }
    *holds = all;
    return rc;
}

int budget_expression(const char *text, const struct budget_run *run, bool *holds,
                      struct error *err)
{
    size_t to = strlen(text);
    bool any = false;
    int rc = to > FORMULA_TEXT_MAX ? error_set(err, ERROR_INPUT, E2BIG, NULL, "expression",
                                               "longer than %d bytes", FORMULA_TEXT_MAX)
                                   : 0;
    for (size_t at = 0; rc == 0;) {
        size_t end = until_word(text, at, to, " or ");
        bool one = false;
        rc = read_budget_conjunction(text, at, end, run, &one, err);
        any |= one;
        if (end == to)
            break;
        at = end + strlen(" or ");
    }
    if (holds)
        *holds = any;
    return rc;
}
