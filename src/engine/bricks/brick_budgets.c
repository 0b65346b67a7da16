/* Budgets of bricks and kernels, from a TOML file. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bricks/brick_report.h"
#include "engine/value/text_file.h"
#include "engine/value/toml.h"

struct budgets {
    struct graph *g;
    const char *path;
    struct error *err;
};

static int refuse_brick_budget(const struct budgets *b, const struct toml_item *item,
                               const char *why)
{
    char what[192];
    snprintf(what, sizeof what, "%.120s:%d:%d", b->path, item->line, item->column);
    return error_set(b->err, ERROR_INPUT, EINVAL,
                     "write budgets as [budget] with RmsNorm = \"5us\"; units: ns, us, ms, s", what,
                     "%.60s %s", item->key ? item->key : item->table, why);
}

/* Nanoseconds; NaN where it is no time. A bare number is seconds. */
static double to_ns(const struct toml_item *item)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    if (item->type == TOML_NUMBER)
        return item->number * 1e9;
    if (item->type != TOML_STRING)
        return NAN;
    char *end;
    double v = strtod(item->string, &end);
    while (*end == ' ')
        end++;
    for (size_t i = 0; end != item->string && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0)
            return v * units[i].ns;
    return NAN;
}

static int read_budget(void *ctx, const struct toml_item *item)
{
    struct budgets *b = ctx;
    if (strcmp(item->table, "budget") != 0)
        return refuse_brick_budget(b, item, "is not known here");
    if (!item->key)
        return 0;
    double ns = to_ns(item);
    if (!(ns > 0) || ns > 1e18)
        return refuse_brick_budget(b, item, "has no time above 0");
    uint32_t name = graph_intern(b->g, item->key);
    for (uint32_t i = 0; i < b->g->nnodes; i++)
        if (b->g->name[i] == name && graph_work_of(b->g, i))
            graph_extra(b->g, i)->budget = (uint64_t)ns;
    return 0;
}

int brick_budgets_load(struct graph *sums, const char *path, struct error *err)
{
    struct budgets b = {sums, path, err};
    struct toml_failure bad = {0};
    char *text;
    size_t len;
    int rc = text_file_read(&text, &len, path, err);
    if (rc == 0)
        rc = toml_walk(text, len, read_budget, &b, &bad);
    if (bad.line) {
        char what[192];
        snprintf(what, sizeof what, "%.120s:%d:%d", path, bad.line, bad.column);
        rc = error_set(err, ERROR_INPUT, EINVAL, NULL, what, "%s", bad.why);
    }
    free(text);
    return rc;
}
