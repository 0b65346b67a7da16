/* Every built-in formula compiles and names only events that its CPU's catalog has. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_event/catalog.h"
#include "base/words.h"
#include "engine/live/metric.h"
#include "engine/value/formula.h"
#include "engine/value/toml.h"
#include "export/metric_doc.h"
#include "support/test.h"

static bool in_rows(const struct event_def *rows, const char *set, const char *name)
{
    for (; rows->name; rows++)
        if (strcmp(rows->set, set) == 0 && strcmp(rows->name, name) == 0)
            return true;
    return false;
}

struct check {
    const char *arch;
    const struct metric_def *def;
};

static bool metric_here(const char *arch, const char *id)
{
    for (const struct metric_def *d = metric_table; d->id; d++)
        if (strcmp(d->id, id) == 0 && (words_have(d->cpus, "any") || words_have(d->cpus, arch)))
            return true;
    return false;
}

static int bind(void *ctx, const char *name, char why[192])
{
    static const char builtin[] = "interval ncpus task_seconds busy slots_per_cycle";
    const struct check *c = ctx;
    const char *dot = strchr(name, '.');
    char set[64];
    snprintf(set, sizeof set, "%s", c->def->set);
    if (words_have(builtin, name))
        return 0;
    if (dot) {
        snprintf(set, sizeof set, "%.*s", (int)(dot - name), name);
        name = dot + 1;
    } else if (strcmp(name, c->def->id) != 0 && metric_here(c->arch, name)) {
        return 0;
    }
    if (in_rows(arch_find(c->arch)->events, set, name) || in_rows(catalog_common, set, name))
        return 0;
    snprintf(why, 192, "%s: metric %s reads %s.%s", c->arch, c->def->id, set, name);
    return -1;
}

TEST(table_formulas_name_existing_events)
{
    for (const struct arch_def *a = arch_table; a->key; a++) {
        for (const struct metric_def *d = metric_table; d->id; d++) {
            struct formula *f;
            struct error err = ERROR_INIT;
            struct check c = {a->key, d};
            /* for these CPUs a row may exist only to say that the number is not available */
            bool placeholder = strcmp(a->key, "none") == 0 || strcmp(d->set, "topdown") == 0 ||
                               strcmp(d->set, "flops") == 0 || strcmp(d->set, "dram") == 0;
            if (!words_have(d->cpus, "any") && !words_have(d->cpus, a->key))
                continue;
            if (formula_compile(&f, d->formula, bind, &c, &err) == 0) {
                formula_free(f);
                continue;
            }
            if (placeholder && (words_have(d->cpus, "none") || words_have(d->cpus, "any")))
                continue;
            fail_msg("%s", err.why);
        }
    }
}

TEST(table_rows_are_complete)
{
    for (const struct metric_def *d = metric_table; d->id; d++) {
        assert_non_null(d->label);
        assert_true(strlen(d->label) <= 18);
        assert_true(*d->set && *d->formula && *d->cpus && *d->what && *d->reference);
        assert_true(d->group < METRIC_GROUP_COUNT && d->group != METRIC_USER);
        for (const char *p = d->cpus; *p; p += strcspn(p, " "), p += *p == ' ') {
            char key[32];
            snprintf(key, sizeof key, "%.*s", (int)strcspn(p, " "), p);
            if (strcmp(key, "any") != 0 && !arch_find(key))
                fail_msg("metric %s names the unknown CPU '%s'", d->id, key);
        }
    }
}

TEST(table_ids_are_no_event_names)
{
    for (const struct arch_def *a = arch_table; a->key; a++)
        for (const struct event_def *e = a->events; e->name; e++)
            for (const struct metric_def *d = metric_table; d->id; d++)
                if (strcmp(d->id, e->name) == 0 && strcmp(d->set, e->set) != 0)
                    fail_msg("'%s' is both a metric and an event of another set", d->id);
}

TEST(table_compiles_for_every_cpu)
{
    for (const struct arch_def *a = arch_table; a->key; a++) {
        struct metric_set *m;
        struct error err = ERROR_INIT;
        if (metric_compile(&m, a->key, NULL, &err))
            fail_msg("%s: %s: %s", a->key, err.what, err.why);
        metric_free(m);
    }
}

/* The row of the table that the walk over the file must find next. */
struct compared {
    const struct metric_def *row;
    size_t rows, keys;
};

/* Whether the row of the built table has what a key of the file says. */
static bool same(const struct metric_def *d, const struct toml_item *item)
{
    static const char *const groups[METRIC_GROUP_COUNT] = {
        [METRIC_PIPELINE] = "pipeline", [METRIC_TOPDOWN] = "topdown",
        [METRIC_BRANCH] = "branch",     [METRIC_CACHE] = "cache",
        [METRIC_TLB] = "tlb",           [METRIC_COMPUTE] = "compute",
        [METRIC_MEMORY] = "memory",     [METRIC_POWER] = "power",
        [METRIC_SOFTWARE] = "software", [METRIC_PORTS] = "ports",
    };
    const struct {
        const char *key, *value;
    } texts[] = {{"id", d->id},
                 {"label", d->label},
                 {"group", groups[d->group]},
                 {"set", d->set},
                 {"formula", d->formula},
                 {"unit", unit_name(d->unit)},
                 {"parent", d->parent},
                 {"cpus", d->cpus},
                 {"what", d->what},
                 {"reference", d->reference}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].key, item->key) == 0)
            return item->type == TOML_STRING && texts[i].value &&
                   strcmp(texts[i].value, item->string) == 0;
    if (strcmp(item->key, "optional") == 0)
        return item->type == TOML_BOOL && d->optional == (item->number != 0);
    return item->type == TOML_NUMBER &&
           item->number == (strcmp(item->key, "level") == 0        ? d->level
                            : strcmp(item->key, "warn_above") == 0 ? d->warn_above
                                                                   : NAN);
}

static size_t keys_set(const struct metric_def *d)
{
    size_t always = 8; /* id label group set formula cpus what reference */
    return always + (d->unit != UNIT_NONE) + (d->parent != NULL) + (d->level != 0) +
           (d->warn_above != 0) + d->optional;
}

static int compare_item(void *ctx, const struct toml_item *item)
{
    struct compared *c = ctx;
    if (item->type == TOML_TABLE) {
        if (c->rows && c->keys != keys_set(c->row))
            fail_msg("line %d: the row before, %s, has %zu keys, not %zu", item->line, c->row->id,
                     c->keys, keys_set(c->row));
        c->row = c->rows++ ? c->row + 1 : metric_table;
        c->keys = 0;
        return 0;
    }
    c->keys++;
    if (!c->row || !c->row->id || !same(c->row, item))
        fail_msg("line %d: %s of %s is not what the program has", item->line, item->key,
                 c->row && c->row->id ? c->row->id : "no row");
    return 0;
}

/* A small reader of the build makes the table from metrics.toml: it must agree with a real parser
 * of TOML. */
TEST(table_is_what_the_file_says)
{
    static char text[1 << 20];
    FILE *file = fopen("src/engine/live/metrics.toml", "re");
    assert_non_null(file);
    size_t len = fread(text, 1, sizeof text, file);
    fclose(file);
    struct compared c = {0};
    struct toml_failure bad;
    assert_int_equal(toml_walk(text, len, compare_item, &c, &bad), 0);
    assert_true(c.rows > 100);
    assert_int_equal(c.keys, keys_set(c.row));
    assert_null(c.row[1].id);
}

TEST(children_name_a_parent_of_the_level_above)
{
    for (const struct metric_def *d = metric_table; d->id; d++) {
        bool found = !d->parent;
        for (const struct metric_def *p = metric_table; p->id && !found; p++)
            found = strcmp(p->id, d->parent) == 0 && p->level == d->level - 1;
        if (!found)
            fail_msg("%s: parent %s", d->id, d->parent);
    }
}

TEST(document_lists_every_metric)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    assert_int_equal(metric_document(f), 0);
    fclose(f);
    for (const struct metric_def *d = metric_table; d->id; d++) {
        char cell[96];
        snprintf(cell, sizeof cell, "| `%s` |", d->id);
        if (!strstr(text, cell))
            fail_msg("%s is not in the document", d->id);
    }
    /* docs/METRICS.md ends with exactly this table */
    static char doc[1 << 20];
    FILE *file = fopen("docs/METRICS.md", "r");
    assert_non_null(file);
    size_t got = fread(doc, 1, sizeof doc - 1, file);
    fclose(file);
    assert_true(got > len);
    if (strcmp(doc + got - len, text) != 0)
        fail_msg("docs/METRICS.md is old: replace its table by metric_document's");
    free(text);
}
