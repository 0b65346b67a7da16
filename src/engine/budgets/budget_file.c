/* Reads a file of assertions, in both of its schemas. */
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/nearest.h"
#include "base/words.h"
#include "engine/budgets/budgets_impl.h"
#include "engine/syscalls/calls.h"
#include "engine/value/text_file.h"
#include "engine/value/toml.h"

/* A key of the current table. Keys are kept until the table ends, because their meaning depends on
 * its `type`. */
struct kept_item {
    char *key, *string;
    double number;
    enum toml_type type;
    int line, column, element;
    bool used;
};

struct budget_reading {
    struct budget_file *file;
    struct error *err;
    char table[128];
    int line, column; /* of the table's header */
    struct kept_item *items;
    size_t n, cap;
    bool lenient_programs; /* [ci] fail_on_budget_exceeded = false */
    char severities[128];  /* [ci] fail_on_anti_patterns, separated by spaces */
};

static int refuse_budget_place(struct budget_reading *r, int line, int column, const char *help,
                               const char *format, ...) __attribute__((format(printf, 5, 6)));
static int refuse_budget_place(struct budget_reading *r, int line, int column, const char *help,
                               const char *format, ...)
{
    char what[192], why[256];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    snprintf(what, sizeof what, "%.120s:%d:%d", r->file->path, line, column);
    return error_set(r->err, ERROR_INPUT, EINVAL, help, what, "%s", why);
}

static int refuse_budget(struct budget_reading *r, const struct kept_item *item, const char *why)
{
    return refuse_budget_place(r, item->line, item->column, NULL, "%.80s %s", item->key, why);
}

bool budget_matches(const struct budget *b, const char *text)
{
    regmatch_t at;
    return !b->regex || (regexec(b->regex, text, 1, &at, 0) == 0 && at.rm_so == 0 &&
                         (size_t)at.rm_eo == strlen(text));
}

/* Adds a budget with the defaults of its fields. The pointer is valid until the next call. */
static struct budget *budget_add(struct budget_file *f, const struct budget_kind *kind,
                                 const char *name, int line)
{
    LIST_ROOM(f->list, f->n, f->cap);
    f->list[f->n] = (struct budget){.kind = kind,
                                    .name = xstrdup(name),
                                    .line = line,
                                    .most = NAN,
                                    .least = NAN,
                                    .threshold = ANTIPATTERN_THRESHOLD,
                                    .percentile = 99};
    return &f->list[f->n++];
}

static struct kept_item *find_budget_item(struct budget_reading *r, const char *key)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->items[i].key, key) == 0)
            return &r->items[i];
    return NULL;
}

/* Takes an item that every table of assertions may have. */
static int take_budget_text(struct budget_reading *r, const char *key, char **out)
{
    struct kept_item *item = find_budget_item(r, key);
    if (!item)
        return 0;
    item->used = true;
    if (item->type != TOML_STRING)
        return refuse_budget(r, item, "is not a text in quotes");
    if (out) {
        free(*out);
        *out = xstrdup(item->string);
    }
    return 0;
}

static int take_flag(struct budget_reading *r, const char *key, bool *out, bool turned)
{
    struct kept_item *item = find_budget_item(r, key);
    if (!item)
        return 0;
    item->used = true;
    if (item->type != TOML_BOOL)
        return refuse_budget(r, item, "is neither true nor false");
    *out = (item->number != 0) != turned;
    return 0;
}

/* Appends a word to a list, with the separator before it. */
static void append_word(char **list, const char *word, const char *separator)
{
    size_t n = *list ? strlen(*list) : 0;
    *list = xrealloc(*list, n + strlen(word) + 2, 1);
    sprintf(*list + n, "%s%s", n ? separator : "", word);
}

static bool is_syscall_name(const char *name)
{
    for (unsigned abi = 0; abi < SYSCALL_ABIS; abi++)
        if (syscall_number(abi, name) >= 0)
            return true;
    return false;
}

static int set_budget_number(struct budget_reading *r, const struct budget_field *field,
                             struct kept_item *item, double *out)
{
    if (item->type != TOML_NUMBER || isnan(item->number))
        return refuse_budget(r, item, "is not a number");
    if (item->number < field->least || item->number > field->most)
        return refuse_budget_place(r, item->line, item->column, NULL,
                                   "%.80s must lie between %g and %g", item->key, field->least,
                                   field->most);
    if (field->type == FIELD_WHOLE && item->number != floor(item->number))
        return refuse_budget(r, item, "must be a whole number");
    *out = item->number * (field->scale != 0 ? field->scale : 1);
    return 0;
}

static int set_regex(struct budget_reading *r, struct kept_item *item, struct budget *b)
{
    char why[128];
    regex_t *regex = xcalloc(1, sizeof *regex);
    int rc = regcomp(regex, item->string, REG_EXTENDED);
    if (rc != 0) {
        regerror(rc, regex, why, sizeof why);
        free(regex);
        return refuse_budget_place(
            r, item->line, item->column,
            "it is a POSIX extended regular expression that matches whole names", "%.80s: %s",
            item->key, why);
    }
    b->regex = regex;
    b->pattern = xstrdup(item->string);
    return 0;
}

static int set_rule(struct budget_reading *r, struct kept_item *item, struct budget *b)
{
    b->rule = antipattern_find(item->string);
    if (b->rule)
        return 0;
    struct nearest near;
    nearest_start(&near, item->string);
    char all[256] = "";
    for (size_t i = 0; i < antipattern_count; i++) {
        nearest_offer(&near, antipattern_table[i].id);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
                 i ? ", " : "there are: ", antipattern_table[i].id);
    }
    const char *found = nearest_found(&near);
    return refuse_budget_place(
        r, item->line, item->column, all, "no anti-pattern is called %.60s%s%s%s", item->string,
        found ? "; did you mean " : "", found ? found : "", found ? "?" : "");
}

static int set_budget_choice(struct budget_reading *r, const struct budget_field *field,
                             struct kept_item *item, char **out)
{
    char with_bars[64];
    snprintf(with_bars, sizeof with_bars, "|%.58s|", item->string);
    char all[80];
    snprintf(all, sizeof all, "|%s|", field->choices);
    if (strchr(item->string, '|') || !strstr(all, with_bars))
        return refuse_budget_place(r, item->line, item->column, NULL, "%.80s is none of %s",
                                   item->key, field->choices);
    free(*out);
    *out = xstrdup(item->string);
    return 0;
}

static int set_call(struct budget_reading *r, struct kept_item *item, char **out)
{
    if (!is_syscall_name(item->string))
        return refuse_budget_place(r, item->line, item->column, NULL,
                                   "no system call is called %.80s", item->string);
    append_word(out, item->string, " ");
    return 0;
}

static int set_budget_field(struct budget_reading *r, const struct budget_field *field,
                            struct kept_item *item, struct budget *b)
{
    void *at = (char *)b + field->offset;
    item->used = true;
    if (field->type <= FIELD_WHOLE)
        return set_budget_number(r, field, item, at);
    if (item->type != TOML_STRING)
        return refuse_budget(r, item, "is not a text in quotes");
    switch (field->type) {
    case FIELD_CALLS:
        return set_call(r, item, at);
    case FIELD_REGEX:
        return set_regex(r, item, b);
    case FIELD_CHOICE:
        return set_budget_choice(r, field, item, at);
    case FIELD_RULE:
        return set_rule(r, item, b);
    default:
        break;
    }
    struct error err = ERROR_INIT;
    if (budget_expression(item->string, NULL, NULL, &err) != 0)
        return refuse_budget_place(r, item->line, item->column,
                                   "docs/BUDGETS.md lists what it may name", "%.80s, %s: %s",
                                   item->key, err.what, err.why);
    *(char **)at = xstrdup(item->string);
    return 0;
}

/* Writes the names of all kinds, for a message. */
static void list_kinds(char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "types are: ");
    for (size_t i = 0; i < budget_kinds_count && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", budget_kinds[i].name);
}

/* The kind of the table; NULL with err. */
static const struct budget_kind *find_kind(struct budget_reading *r)
{
    char all[320];
    list_kinds(all, sizeof all);
    struct kept_item *type = find_budget_item(r, "type");
    struct kept_item *item = type ? type : find_budget_item(r, "check");
    if (!item) {
        refuse_budget_place(r, r->line, r->column, all, "this assertion has no type");
        return NULL;
    }
    item->used = true;
    if (item->type != TOML_STRING) {
        refuse_budget(r, item, "is not a text in quotes");
        return NULL;
    }
    const struct budget_kind *kind = budget_kind_find(item->string);
    if (kind)
        return kind;
    struct nearest near;
    nearest_start(&near, item->string);
    for (size_t i = 0; i < budget_kinds_count; i++)
        nearest_offer(&near, budget_kinds[i].name);
    const char *found = nearest_found(&near);
    refuse_budget_place(r, item->line, item->column, all, "no assertion has the type %.60s%s%s%s",
                        item->string, found ? "; did you mean " : "", found ? found : "",
                        found ? "?" : "");
    return NULL;
}

static const struct budget_field *field_of(const struct budget_kind *kind, const char *key)
{
    for (const struct budget_field *f = kind->fields; f->key; f++)
        if (strcmp(f->key, key) == 0)
            return f;
    return NULL;
}

static int take_programs(struct budget_reading *r, struct budget *b)
{
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(r->items[i].key, "applies_to") != 0)
            continue;
        r->items[i].used = true;
        if (r->items[i].type != TOML_STRING)
            return refuse_budget(r, &r->items[i], "is not a text in quotes, or several");
        append_word(&b->applies_to, r->items[i].string, "\n");
    }
    return 0;
}

static int take_fields(struct budget_reading *r, struct budget *b)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->n; i++) {
        const struct budget_field *field = field_of(b->kind, r->items[i].key);
        if (field && !r->items[i].used)
            rc = set_budget_field(r, field, &r->items[i], b);
    }
    for (const struct budget_field *f = b->kind->fields; rc == 0 && f->key; f++)
        if (f->needed && !find_budget_item(r, f->key))
            rc = refuse_budget_place(r, r->line, r->column, NULL,
                                     "an assertion of type %s needs %s", b->kind->name, f->key);
    return rc;
}

static int refuse_rest(struct budget_reading *r, const struct budget_kind *kind)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->items[i].used)
            continue;
        struct nearest near;
        nearest_start(&near, r->items[i].key);
        for (const struct budget_field *f = kind->fields; f->key; f++)
            nearest_offer(&near, f->key);
        const char *found = nearest_found(&near);
        return refuse_budget_place(r, r->items[i].line, r->items[i].column, NULL,
                                   "an assertion of type %s has no %.60s%s%s%s", kind->name,
                                   r->items[i].key, found ? "; did you mean " : "",
                                   found ? found : "", found ? "?" : "");
    }
    return 0;
}

static int add_assertion(struct budget_reading *r)
{
    const struct budget_kind *kind = find_kind(r);
    int rc = 0;
    if (!kind)
        return -EINVAL;
    struct budget *b = budget_add(r->file, kind, "", r->line);
    rc = take_budget_text(r, "name", &b->name);
    if (rc == 0)
        rc = take_budget_text(r, "description", &b->description);
    if (rc == 0)
        rc = take_budget_text(r, "severity", &b->severity);
    if (rc == 0)
        rc = take_flag(r, "fail_on_violation", &b->warns, true);
    if (rc == 0)
        rc = take_flag(r, "enabled", &b->disabled, true);
    if (rc == 0)
        rc = take_programs(r, b);
    if (rc == 0)
        rc = take_fields(r, b);
    if (rc == 0)
        rc = refuse_rest(r, kind);
    if (rc == 0 && !*b->name)
        rc = refuse_budget_place(r, r->line, r->column, NULL, "this assertion has no name");
    if (rc == 0 && (field_of(kind, "min_count") || field_of(kind, "min_time_ms")) &&
        isnan(b->most) && isnan(b->least))
        rc = refuse_budget_place(r, r->line, r->column, NULL,
                                 "an assertion of type %s needs max_count or "
                                 "min_count",
                                 kind->name);
    return rc;
}

/* A rule of [anti_patterns]: a share of time, or a number of calls. */
static int add_rule(struct budget_reading *r)
{
    struct kept_item *share = find_budget_item(r, "min_ratio");
    if (share && share->type == TOML_NUMBER) { /* a share, as a percentage */
        share->number *= 100;
        free(share->key);
        share->key = xstrdup("max_percentage");
    }
    int rc = add_assertion(r);
    if (rc == 0 && !r->file->list[r->file->n - 1].severity)
        r->file->list[r->file->n - 1].severity = xstrdup("error");
    return rc;
}

/* [performance.budgets] NAME = { max_time_ms, max_syscalls, max_memory_mb } */
static int add_program_budgets(struct budget_reading *r, const char *program)
{
    static const struct {
        const char *key, *kind;
        struct budget_field field;
    } limits[] = {
        {"max_time_ms", "total_time", {"", FIELD_NUMBER, true, 0, 1e-3, 0, 1e18, NULL}},
        {"max_syscalls", "span_count", {"", FIELD_WHOLE, true, 0, 1, 0, 1e18, NULL}},
        {"max_memory_mb", "memory_usage", {"", FIELD_NUMBER, true, 0, 1e6, 0, 1e12, NULL}},
    };
    for (size_t i = 0; i < r->n; i++) {
        struct kept_item *item = &r->items[i];
        size_t k = 0;
        while (k < sizeof limits / sizeof *limits && strcmp(limits[k].key, item->key) != 0)
            k++;
        if (k == sizeof limits / sizeof *limits)
            return refuse_budget_place(r, item->line, item->column,
                                       "limits are: max_time_ms, max_syscalls, max_memory_mb",
                                       "a budget of a program has no %.60s", item->key);
        char name[192];
        snprintf(name, sizeof name, "%.120s %s", program, item->key);
        struct budget *b = budget_add(r->file, budget_kind_find(limits[k].kind), name, item->line);
        b->applies_to = xstrdup(program);
        b->of_program = true;
        int rc = set_budget_number(r, &limits[k].field, item, &b->most);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* Notes that this table has no effect. */
static void add_budget_note(struct budget_file *f, const char *text)
{
    LIST_ADD(f->notes, f->nnotes, f->notes_cap, xstrdup(text));
}

static void note_no_effect(struct budget_reading *r)
{
    char note[200];
    snprintf(note, sizeof note, "[%.100s] has no effect here", r->table);
    add_budget_note(r->file, note);
}

/* Reads limits for deviations from the golden trace of the program. */
static int take_regression(struct budget_reading *r)
{
    static const struct budget_field percent = {"", FIELD_NUMBER, false, 0, 1, 0, 1e6, NULL};
    for (size_t i = 0; i < r->n; i++) {
        struct kept_item *item = &r->items[i];
        const char *kind = NULL;
        if (strcmp(item->key, "time_threshold_percent") == 0)
            kind = "time_regression";
        else if (strcmp(item->key, "syscall_threshold_percent") == 0)
            kind = "syscall_regression";
        if (!kind)
            return refuse_budget(r, item,
                                 "is not known; there are time_threshold_percent and "
                                 "syscall_threshold_percent");
        struct budget *b = budget_add(r->file, budget_kind_find(kind), kind, item->line);
        int rc = set_budget_number(r, &percent, item, &b->most);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static int take_ci(struct budget_reading *r)
{
    bool fails = true;
    int rc = take_flag(r, "fail_on_budget_exceeded", &fails, false);
    r->lenient_programs = !fails;
    for (size_t i = 0; rc == 0 && i < r->n; i++)
        if (strcmp(r->items[i].key, "fail_on_anti_patterns") == 0 &&
            r->items[i].type == TOML_STRING) {
            size_t n = strlen(r->severities);
            snprintf(r->severities + n, sizeof r->severities - n, " %.30s", r->items[i].string);
        }
    return rc;
}

/* Accepts tables of the seed's files that contain no budget. */
static int pass_over_seed_table(struct budget_reading *r)
{
    static const char *const known =
        "project performance semantic_equivalence lamport_clock compression otlp reporting "
        "profiling anti_patterns golden_traces golden_traces.baselines performance.budgets cluster";
    static const char *const silent = "project performance anti_patterns golden_traces "
                                      "golden_traces.baselines performance.budgets";
    if (!words_have(known, r->table))
        return refuse_budget_place(
            r, r->line, r->column,
            "budgets stand in [[assertion]], [[assertions]], [performance.budgets] and "
            "[[anti_patterns.rules]]",
            "no table is called %.80s", r->table);
    if (words_have(silent, r->table))
        return 0;
    note_no_effect(r);
    return 0;
}

static int end_table(struct budget_reading *r)
{
    static const char programs[] = "performance.budgets.";
    int rc = 0;
    if (strcmp(r->table, "assertion") == 0 || strcmp(r->table, "assertions") == 0)
        rc = add_assertion(r);
    else if (strcmp(r->table, "anti_patterns.rules") == 0)
        rc = add_rule(r);
    else if (strncmp(r->table, programs, sizeof programs - 1) == 0)
        rc = add_program_budgets(r, r->table + sizeof programs - 1);
    else if (strcmp(r->table, "regression") == 0)
        rc = take_regression(r);
    else if (strcmp(r->table, "ci") == 0)
        rc = take_ci(r);
    else if (strcmp(r->table, "golden_traces") == 0)
        rc = take_budget_text(r, "directory", &r->file->golden_folder);
    else if (*r->table)
        rc = pass_over_seed_table(r);
    else if (r->n)
        rc = refuse_budget(r, &r->items[0], "stands in no table");
    for (size_t i = 0; i < r->n; i++) {
        free(r->items[i].key);
        free(r->items[i].string);
    }
    r->n = 0;
    return rc;
}

/* Items of a table are adjacent, except that inline tables lie inside of others. */
static int read_budget_item(void *ctx, const struct toml_item *item)
{
    struct budget_reading *r = ctx;
    if (!item->key || strcmp(item->table, r->table) != 0) {
        int rc = end_table(r);
        if (rc != 0)
            return rc;
        snprintf(r->table, sizeof r->table, "%s", item->table);
        r->line = item->line;
        r->column = item->column;
    }
    if (!item->key)
        return 0;
    LIST_ROOM(r->items, r->n, r->cap);
    r->items[r->n++] = (struct kept_item){.key = xstrdup(item->key),
                                          .string = item->string ? xstrdup(item->string) : NULL,
                                          .number = item->number,
                                          .type = item->type,
                                          .line = item->line,
                                          .column = item->column,
                                          .element = item->element};
    return 0;
}

static void soften_budgets(struct budget_reading *r)
{
    for (size_t i = 0; i < r->file->n; i++) {
        struct budget *b = &r->file->list[i];
        if (b->of_program && r->lenient_programs)
            b->warns = true;
        if (b->severity && !words_have(*r->severities ? r->severities : "error", b->severity))
            b->warns = true;
    }
}

int budget_file_parse(struct budget_file *out, const char *path, const char *text, size_t len,
                      struct error *err)
{
    *out = (struct budget_file){.path = xstrdup(path)};
    struct budget_reading r = {.file = out, .err = err};
    struct toml_failure bad = {0};
    int rc = toml_walk_deep(text, len, read_budget_item, &r, &bad);
    if (bad.line)
        rc = refuse_budget_place(&r, bad.line, bad.column, NULL, "%s", bad.why);
    else if (rc == -ENOMEM)
        rc = error_set(err, ERROR_INTERNAL, ENOMEM, NULL, path, "memory ran out");
    int end = end_table(&r);
    if (rc == 0)
        rc = end;
    soften_budgets(&r);
    free(r.items);
    if (rc != 0)
        budget_file_free(out);
    return rc;
}

int budget_file_load(struct budget_file *out, const char *path, struct error *err)
{
    *out = (struct budget_file){0};
    char *text;
    size_t len;
    int rc = text_file_read(&text, &len, path, err);
    if (rc == 0)
        rc = budget_file_parse(out, path, text, len, err);
    if (rc == 0 && out->n == 0)
        add_budget_note(out, "the file states no budget: only the exit status is judged");
    free(text);
    return rc;
}

static void budget_free(struct budget *b)
{
    if (b->regex)
        regfree(b->regex);
    free(b->regex);
    free(b->name);
    free(b->description);
    free(b->names);
    free(b->pattern);
    free(b->choice);
    free(b->expression);
    free(b->severity);
    free(b->applies_to);
}

void budget_file_free(struct budget_file *f)
{
    for (size_t i = 0; i < f->n; i++)
        budget_free(&f->list[i]);
    for (size_t i = 0; i < f->nnotes; i++)
        free(f->notes[i]);
    free(f->list);
    free(f->notes);
    free(f->path);
    free(f->golden_folder);
    *f = (struct budget_file){0};
}
