#include "export/openmetrics.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"
#include "base/print.h"
#include "engine/value/document.h"

enum { NAME_BYTES = 160, NONE = -1 };

struct family {
    const char *name, *help, *unit; /* unit: "" for none */
    int first, last;                /* its samples */
};

struct sample {
    const char *labels; /* as they are written: {cpu="0"}, "" for none */
    double value;
    int family, next; /* next: of the same family; NONE: the last */
};

struct openmetrics {
    struct arena arena;
    struct family *families;
    size_t nfamilies, families_cap;
    struct sample *samples;
    size_t nsamples, samples_cap;
    struct hash_table by_name, by_labels;
};

struct openmetrics *openmetrics_new(void)
{
    return xcalloc(1, sizeof(struct openmetrics));
}

void openmetrics_free(struct openmetrics *m)
{
    hash_table_free(&m->by_name);
    hash_table_free(&m->by_labels);
    free(m->families);
    free(m->samples);
    arena_free(&m->arena);
    free(m);
}

/* --- names --- */

static void append_name_part(char name[NAME_BYTES], const char *part)
{
    size_t n = strlen(name);
    if (!*part || n + 2 >= NAME_BYTES)
        return;
    name[n++] = '_';
    for (; *part && n + 1 < NAME_BYTES; part++)
        name[n++] = isalnum((unsigned char)*part) ? (char)tolower((unsigned char)*part) : '_';
    name[n] = '\0';
}

static bool has_ending(const char *name, const char *ending)
{
    const size_t n = strlen(name), len = strlen(ending);
    return n >= len && strcmp(name + n - len, ending) == 0;
}

/* Ends the name with its unit. A unit that our own tables name shorter is replaced. */
static void append_unit(char name[NAME_BYTES], const char *unit)
{
    static const char *const shorter[][2] = {{"_hz", "hertz"}, {"_percent", "ratio"}};
    char ending[40];
    for (size_t i = 0; i < sizeof shorter / sizeof *shorter; i++)
        if (strcmp(unit, shorter[i][1]) == 0 && has_ending(name, shorter[i][0]))
            name[strlen(name) - strlen(shorter[i][0])] = '\0';
    snprintf(ending, sizeof ending, "_%s", unit);
    if (!has_ending(name, ending))
        append_name_part(name, unit);
}

static int find_family(struct openmetrics *m, const char *name, const char *unit, const char *help)
{
    const uint64_t hash = hash_text(0, name);
    HASH_EACH (&m->by_name, hash, i)
        if (strcmp(m->families[i].name, name) == 0)
            return (int)i;
    hash_table_add(&m->by_name, hash, m->nfamilies);
    LIST_ADD(m->families, m->nfamilies, m->families_cap,
             (struct family){.name = arena_strdup(&m->arena, name),
                             .help = help,
                             .unit = unit,
                             .first = NONE,
                             .last = NONE});
    return (int)m->nfamilies - 1;
}

/* --- samples --- */

/* The labels as they are written, malloc'ed. */
static char *make_labels(const char *const labels[])
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = labels && labels[0] ? open_memstream(&text, &len) : NULL;
    if (!f)
        return xstrdup("");
    for (size_t i = 0; labels[i]; i += 2) {
        fputs(i ? "," : "{", f);
        print_put(f, PRINT_LABEL, labels[i]);
        fputs("=\"", f);
        print_put(f, PRINT_LABEL, labels[i + 1] ? labels[i + 1] : "");
        fputc('"', f);
    }
    fputc('}', f);
    fclose(f);
    return text;
}

static bool has_sample(const struct openmetrics *m, int family, const char *labels, uint64_t hash)
{
    HASH_EACH (&m->by_labels, hash, i)
        if (m->samples[i].family == family && strcmp(m->samples[i].labels, labels) == 0)
            return true;
    return false;
}

static void append_sample(struct openmetrics *m, int family, const char *labels, double v)
{
    const uint64_t hash = hash_text((uint64_t)family, labels);
    struct family *f = &m->families[family];
    if (has_sample(m, family, labels, hash))
        return;
    const int at = (int)m->nsamples;
    hash_table_add(&m->by_labels, hash, m->nsamples);
    LIST_ADD(
        m->samples, m->nsamples, m->samples_cap,
        (struct sample){
            .labels = arena_strdup(&m->arena, labels), .value = v, .family = family, .next = NONE});
    if (f->last == NONE)
        f->first = at;
    else
        m->samples[f->last].next = at;
    f->last = at;
}

void openmetrics_add(struct openmetrics *m, const char *kind, const char *name, const char *help,
                     const char *const labels[], const struct value *v)
{
    char full[NAME_BYTES] = "rooftop";
    double per;
    if (v->validity != VALUE_OK)
        return;
    const char *unit = unit_base_name((enum unit)v->unit, &per);
    append_name_part(full, kind);
    append_name_part(full, name);
    append_unit(full, unit);
    char *text = make_labels(labels);
    append_sample(m, find_family(m, full, unit, help), text, v->v / per);
    free(text);
}

/* --- the document --- */

void openmetrics_write(FILE *out, const struct openmetrics *m)
{
    char digits[32];
    for (size_t i = 0; i < m->nfamilies; i++) {
        const struct family *f = &m->families[i];
        print_text(out, "# HELP %s %s\n# TYPE %s gauge\n", f->name, f->help, f->name);
        if (*f->unit)
            print_text(out, "# UNIT %s %s\n", f->name, f->unit);
        for (int k = f->first; k != NONE; k = m->samples[k].next) {
            print_text(out, "%s", f->name);
            /* raw: make_labels escaped them */
            fputs(m->samples[k].labels, out);
            fputc(' ', out);
            fputs(number_text(m->samples[k].value, digits), out);
            fputc('\n', out);
        }
    }
    fputs("# EOF\n", out);
}
