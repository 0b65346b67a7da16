/* Writes a summary as text into the caller's memory. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brick/internal.h"

struct report_text {
    char *out;
    size_t size, n; /* n: bytes of the whole text */
};

static void put_report_words(struct report_text *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put_report_words(struct report_text *r, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(r->n < r->size ? r->out + r->n : NULL, r->n < r->size ? r->size - r->n : 0,
                      format, ap);
    va_end(ap);
    r->n += n > 0 ? (size_t)n : 0;
}

/* Names come from the program, which may have them from untrusted input. */
static const char *clean_name(const char *name, char out[64])
{
    size_t n = 0;
    for (; n < 63 && name[n]; n++)
        out[n] = (unsigned char)name[n] < 0x20 || name[n] == 0x7f ? '?' : name[n];
    out[n] = '\0';
    return out;
}

static void put_spread(struct report_text *r, uint32_t per_mille)
{
    if (per_mille)
        put_report_words(r, " (measurements lay %.1f %% apart)", per_mille / 10.0);
}

static void put_backends(struct report_text *r)
{
    uint32_t n = LOAD_ACQUIRE(brick_file.header->ndescs), shown = 0;
    char name[64], how[64];
    for (uint32_t id = 0; id < n; id++) {
        const struct brick_desc *d = brick_desc(id);
        const char *strings = brick_at(brick_file.header->strings);
        if (d->kind != BRICK_KIND_BACKEND)
            continue;
        put_report_words(r, "Backend: %s", clean_name(strings + d->name, name));
        if (d->peak_flops > 0)
            put_report_words(r, ", %.1f GFLOP/s", d->peak_flops / 1e9);
        put_spread(r, d->grid[0]);
        if (d->peak_bytes > 0)
            put_report_words(r, ", %.1f GB/s", d->peak_bytes / 1e9);
        put_spread(r, d->grid[1]);
        put_report_words(r, "%s%s%s\n", d->from ? " (" : "", clean_name(strings + d->from, how),
                         d->from ? ")" : "");
        shown++;
    }
    if (!shown)
        put_report_words(r, "Backend: none was told; this CPU can run %s\n",
                         rooftop_isa_name(rooftop_detect_backend()));
}

struct report_row {
    uint32_t id;
    rooftop_stats stats;
};

static int compare_report_rows(const void *a, const void *b)
{
    const struct report_row *x = a, *y = b;
    if (x->stats.total_ns != y->stats.total_ns)
        return x->stats.total_ns > y->stats.total_ns ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Writes a number, or n/a if its inputs are unknown. */
static void put_report_number(struct report_text *r, int width, double v, bool known)
{
    if (known)
        put_report_words(r, " %*.1f", width, v);
    else
        put_report_words(r, " %*s", width, "n/a");
}

static void put_rows(struct report_text *r, const struct report_row *rows, uint32_t n,
                     uint32_t kind, uint64_t whole)
{
    const char *head = kind == BRICK_KIND_BRICK ? "Brick" : "Kernel";
    char name[64];
    for (uint32_t i = 0; i < n; i++) {
        const rooftop_stats *s = &rows[i].stats;
        bool timed = s->total_ns > 0;
        if (brick_desc(rows[i].id)->kind != kind || s->count == 0)
            continue;
        if (head)
            put_report_words(r, "\n%-22s %10s %12s %9s %9s %7s\n", head, "Avg (us)", "Total (us)",
                             "Count", "Melem/s", "Time %");
        head = NULL;
        put_report_words(r, "%-22.22s", clean_name(rooftop_name(rows[i].id), name));
        put_report_number(r, 10, (double)s->total_ns / 1e3 / (double)s->count, timed);
        put_report_number(r, 12, (double)s->total_ns / 1e3, timed);
        put_report_words(r, " %9llu", (unsigned long long)s->count);
        put_report_number(r, 9, (double)s->elements * 1e3 / (double)s->total_ns,
                          timed && s->elements);
        put_report_number(r, 7, rooftop_percentage(s, whole), timed && whole);
        put_report_words(r, "\n");
    }
}

static void put_categories(struct report_text *r, const struct brick_categories *c)
{
    static const char *const names[] = {"Norm", "Attention", "FFN", "Other"};
    put_report_words(r, "\n%-22s %10s %12s %9s %17s\n", "Category", "Avg (us)", "Own (us)",
                     "Samples", "Time %");
    for (int i = 0; i < ROOFTOP_CATEGORIES; i++) {
        const rooftop_stats *s = &c->of[i];
        put_report_words(r, "%-22s", names[i]);
        put_report_number(r, 10, (double)s->total_ns / 1e3 / (double)s->count, s->count > 0);
        put_report_words(r, " %12.1f %9llu", (double)s->total_ns / 1e3,
                         (unsigned long long)s->count);
        put_report_number(r, 17, rooftop_percentage(s, c->total_ns), c->total_ns > 0);
        put_report_words(r, "\n");
    }
}

enum { COUNT_WIDTH = 14 };

/* Writes the counts of a call of each brick and kernel, and why other events have none. */
static void put_counts(struct report_text *r, const struct report_row *rows, uint32_t n)
{
    const struct brick_header *h = brick_file.header;
    const uint32_t events = LOAD_ACQUIRE(h->ncounters);
    const char *strings = brick_at(h->strings);
    char name[64];
    if (!events)
        return;
    put_report_words(r, "\n%-22s %8s %6s", "Counted in a call of", "Count", "Share");
    for (uint32_t e = 0; e < events; e++)
        put_report_words(r, " %*s", COUNT_WIDTH, clean_name(strings + h->counters[e], name));
    put_report_words(r, "\n");
    for (uint32_t i = 0; i < n; i++) {
        rooftop_counts c;
        const uint64_t calls = rooftop_brick_counts(rows[i].id, &c);
        if (!calls)
            continue;
        put_report_words(r, "%-22.22s %8llu %5.0f%%", clean_name(rooftop_name(rows[i].id), name),
                         (unsigned long long)calls, 100 * rooftop_counts_share(&c));
        for (uint32_t e = 0; e < events; e++) {
            const int width = (int)strnlen(strings + h->counters[e], sizeof name - 1);
            const double v = rooftop_counts_scaled(&c, e) / (double)calls;
            put_report_number(r, width > COUNT_WIDTH ? width : COUNT_WIDTH, v,
                              !h->counter_whys[e] && !isnan(v));
        }
        put_report_words(r, "\n");
    }
    for (uint32_t e = 0; e < events; e++)
        if (h->counter_whys[e])
            put_report_words(r, "%s: n/a: %s\n", clean_name(strings + h->counters[e], name),
                             strings + h->counter_whys[e]);
}

PUBLIC size_t rooftop_report(char *out, size_t size)
{
    struct report_text r = {out, size, 0};
    struct brick_header *h = brick_open();
    if (size)
        out[0] = '\0';
    if (!h) {
        put_report_words(&r, "Nothing is recorded: %s\n", rooftop_error());
        return r.n;
    }
    struct brick_categories c = brick_categories();
    uint32_t n = LOAD_ACQUIRE(h->ndescs);
    struct report_row *rows = calloc(n + 1u, sizeof *rows);
    put_backends(&r);
    put_report_words(&r, "Total: %.1f us in bricks", (double)c.total_ns / 1e3);
    if (LOAD(h->tokens))
        put_report_words(&r, ", %llu tokens", (unsigned long long)LOAD(h->tokens));
    put_report_words(&r, "%s\n", rooftop_enabled() ? "" : "; recording is off now");
    for (uint32_t i = 0; rows && i < n; i++) {
        rows[i].id = i;
        rows[i].stats = rooftop_stats_of(i);
    }
    if (rows) {
        qsort(rows, n, sizeof *rows, compare_report_rows);
        put_rows(&r, rows, n, BRICK_KIND_BRICK, c.total_ns);
        put_rows(&r, rows, n, BRICK_KIND_KERNEL, c.total_ns);
    }
    put_categories(&r, &c);
    if (rows)
        put_counts(&r, rows, n);
    free(rows);
    return r.n;
}
