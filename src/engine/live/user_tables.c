#include "engine/live/user_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nearest.h"
#include "engine/live/user_names.h"
#include "engine/value/formula.h"
#include "engine/value/toml.h"

enum { FILE_MAX = 1 << 20, ROWS_MAX = 1024, TEXT_MAX = 512 };

/* The keys of [[event]] and [[metric]]; user_tables.h and docs/METRICS.md describe them. */
enum key {
    EVENT_FIELD_NAME,
    EVENT_FIELD_SPEC,
    EVENT_FIELD_SET,
    EVENT_FIELD_DESC,
    FIELD_ID,
    FIELD_LABEL,
    FIELD_FORMULA,
    FIELD_SET,
    FIELD_UNIT,
    FIELD_WHAT,
    FIELD_WARN,
    FIELD_CPUS,
    FIELD_REFERENCE,
    KEY_COUNT
};
static const struct {
    const char *table, *key;
    enum toml_type type;
    bool required;
} keys[KEY_COUNT] = {
    [EVENT_FIELD_NAME] = {"event", "name", TOML_STRING, true},
    [EVENT_FIELD_SPEC] = {"event", "spec", TOML_STRING, true},
    [EVENT_FIELD_SET] = {"event", "set", TOML_STRING, false},
    [EVENT_FIELD_DESC] = {"event", "desc", TOML_STRING, false},
    [FIELD_ID] = {"metric", "id", TOML_STRING, true},
    [FIELD_LABEL] = {"metric", "label", TOML_STRING, false},
    [FIELD_FORMULA] = {"metric", "formula", TOML_STRING, true},
    [FIELD_SET] = {"metric", "set", TOML_STRING, false},
    [FIELD_UNIT] = {"metric", "unit", TOML_STRING, false},
    [FIELD_WHAT] = {"metric", "what", TOML_STRING, false},
    [FIELD_WARN] = {"metric", "warn_above", TOML_NUMBER, false},
    [FIELD_CPUS] = {"metric", "cpus", TOML_STRING, false},
    [FIELD_REFERENCE] = {"metric", "reference", TOML_STRING, false},
};

struct loader {
    struct user_tables *t;
    struct error *err;
    unsigned seen;    /* keys seen in the open table */
    bool asked;       /* -e adds events to the set "user" */
    bool event;       /* whether the open table is an [[event]] */
    int line, column; /* position of the open table; 0 = none is open */
    int *formula_columns;
    int *event_columns;
};

static int fail_at(struct loader *l, int line, int column, const char *help, const char *why)
{
    char what[192];
    snprintf(what, sizeof what, "%.150s:%d:%d", l->t->path, line, column);
    return error_set(l->err, ERROR_INPUT, EINVAL, help, what, "%s", why);
}

static bool is_user_name(const char *s)
{
    return *s && strlen(s) < 64 &&
           strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               strlen(s);
}

static int refuse_unknown_user_key(struct loader *l, const struct toml_item *item)
{
    char help[160], why[192];
    struct nearest n;
    nearest_start(&n, item->key);
    for (int k = 0; k < KEY_COUNT; k++)
        if (strcmp(keys[k].table, item->table) == 0)
            nearest_offer(&n, keys[k].key);
    snprintf(help, sizeof help, "did you mean '%s'?", n.best[0]);
    snprintf(why, sizeof why, "[[%.20s]] has no key '%.60s'", item->table, item->key);
    return fail_at(l, item->line, item->column, nearest_found(&n) ? help : "see docs/METRICS.md",
                   why);
}

static int find_unit_of_item(struct loader *l, const struct toml_item *item, enum unit *out)
{
    char help[200] = "units are:";
    for (int u = 0; u < UNIT_COUNT_OF; u++) {
        if (strcmp(unit_name((enum unit)u), item->string) == 0) {
            *out = (enum unit)u;
            return 0;
        }
        size_t len = strlen(help);
        if (*unit_name((enum unit)u))
            snprintf(help + len, sizeof help - len, " %s", unit_name((enum unit)u));
    }
    return fail_at(l, item->line, item->column, help, "unknown unit");
}

/* Checks that the open table has its mandatory keys. Called when the next table begins or the file
 * ends. */
static int finish_table(struct loader *l)
{
    char why[160];
    if (!l->line)
        return 0;
    for (int k = 0; k < KEY_COUNT; k++) {
        bool mine = (strcmp(keys[k].table, "event") == 0) == l->event;
        if (!mine || !keys[k].required || l->seen & 1u << k)
            continue;
        snprintf(why, sizeof why, "this [[%s]] has no %s", keys[k].table, keys[k].key);
        return fail_at(l, l->line, l->column, NULL, why);
    }
    return 0;
}

static int start_table(struct loader *l, const struct toml_item *item)
{
    int rc = finish_table(l);
    if (rc)
        return rc;
    l->event = strcmp(item->table, "event") == 0;
    if (!l->event && strcmp(item->table, "metric") != 0)
        return fail_at(l, item->line, item->column, "there are [[event]] and [[metric]]",
                       "unknown kind of table");
    struct user_tables *t = l->t;
    if (t->nevents + t->nmetrics >= ROWS_MAX)
        return fail_at(l, item->line, item->column, NULL, "more than 1024 events and metrics");
    l->seen = 0;
    l->line = item->line;
    l->column = item->column;
    if (l->event) {
        t->events = xrealloc(t->events, t->nevents + 1, sizeof *t->events);
        l->event_columns = xrealloc(l->event_columns, t->nevents + 1, sizeof(int));
        l->event_columns[t->nevents] = item->column;
        t->events[t->nevents++] =
            (struct user_event){.set = "user", .desc = "", .line = item->line};
        return 0;
    }
    t->metrics = xrealloc(t->metrics, t->nmetrics + 1, sizeof *t->metrics);
    t->metric_lines = xrealloc(t->metric_lines, t->nmetrics + 1, sizeof *t->metric_lines);
    l->formula_columns = xrealloc(l->formula_columns, t->nmetrics + 1, sizeof(int));
    t->metric_lines[t->nmetrics] = item->line;
    l->formula_columns[t->nmetrics] = item->column;
    t->metrics[t->nmetrics++] = (struct metric_def){
        .set = "user", .group = METRIC_USER, .cpus = "any", .what = "", .reference = t->path};
    return 0;
}

static int check_text(struct loader *l, const struct toml_item *item, enum key k)
{
    bool name = k == EVENT_FIELD_NAME || k == EVENT_FIELD_SET || k == FIELD_ID || k == FIELD_SET;
    size_t most = TEXT_MAX;
    if (k == FIELD_FORMULA)
        most = FORMULA_TEXT_MAX;
    else if (k == FIELD_LABEL)
        most = 18 * 4;
    if (name && !is_user_name(item->string))
        return fail_at(l, item->line, item->column, NULL,
                       "a name is 1 to 63 letters, digits, '_' and '-'");
    if (!*item->string && keys[k].required)
        return fail_at(l, item->line, item->column, NULL, "the text is empty");
    if (strlen(item->string) > most)
        return fail_at(l, item->line, item->column, NULL, "the text is too long");
    for (const char *p = item->string; *p; p++)
        if ((unsigned char)*p < ' ' && *p != '\n' && *p != '\t')
            return fail_at(l, item->line, item->column, NULL, "the text has control characters");
    return 0;
}

/* Where the text of a key is kept: in e for keys of events, in m for keys of metrics. */
static const char **find_text_of_key(enum key k, struct user_event *e, struct metric_def *m)
{
    switch (k) {
    case EVENT_FIELD_NAME:
        return &e->name;
    case EVENT_FIELD_SPEC:
        return &e->spec;
    case EVENT_FIELD_SET:
        return &e->set;
    case EVENT_FIELD_DESC:
        return &e->desc;
    case FIELD_ID:
        return &m->id;
    case FIELD_LABEL:
        return &m->label;
    case FIELD_SET:
        return &m->set;
    case FIELD_WHAT:
        return &m->what;
    case FIELD_CPUS:
        return &m->cpus;
    case FIELD_REFERENCE:
        return &m->reference;
    default:
        return &m->formula;
    }
}

static int set_key(struct loader *l, const struct toml_item *item, enum key k)
{
    struct user_tables *t = l->t;
    struct user_event *e = l->event ? &t->events[t->nevents - 1] : NULL;
    struct metric_def *m = l->event ? NULL : &t->metrics[t->nmetrics - 1];
    if (k == FIELD_WARN) {
        m->warn_above = item->number;
        return 0;
    }
    int rc = check_text(l, item, k);
    if (rc)
        return rc;
    if (k == FIELD_UNIT)
        return find_unit_of_item(l, item, &m->unit);
    if (k == FIELD_FORMULA) {
        t->metric_lines[t->nmetrics - 1] = item->line;
        l->formula_columns[t->nmetrics - 1] = item->column;
    }
    const char **to = find_text_of_key(k, e, m);
    if (to) /* never NULL: e is set for fields of events, m for fields of metrics */
        *to = arena_strdup(&t->arena, item->string);
    return 0;
}

static int read_user_item(void *ctx, const struct toml_item *item)
{
    static const char *const types[] = {"a table", "a string", "a number", "true or false",
                                        "something else"};
    struct loader *l = ctx;
    char why[160];
    if (item->type == TOML_TABLE)
        return start_table(l, item);
    if (!*item->table)
        return fail_at(l, item->line, item->column, "write [[event]] and [[metric]] tables",
                       "this key is outside of [[event]] and [[metric]]");
    for (int k = 0; k < KEY_COUNT; k++) {
        if (strcmp(keys[k].table, item->table) != 0 || strcmp(keys[k].key, item->key) != 0)
            continue;
        if (keys[k].type != item->type) {
            snprintf(why, sizeof why, "%s must be %s, not %s", keys[k].key, types[keys[k].type],
                     types[item->type]);
            return fail_at(l, item->line, item->column, NULL, why);
        }
        l->seen |= 1u << k;
        return set_key(l, item, (enum key)k);
    }
    return refuse_unknown_user_key(l, item);
}

static int accept_name(void *ctx, const char *name, char why[192])
{
    (void)ctx, (void)name, (void)why;
    return 0;
}

/* Checks the grammar first, so that a grammatical error is not reported as an unknown name. */
static int check_formula(struct loader *l, const struct metric_def *m, int line, int column)
{
    struct user_names names = {.tables = l->t, .metric = m, .asked = l->asked};
    struct error inner = ERROR_INIT;
    struct formula *f = NULL;
    char why[400];
    int rc = formula_compile(&f, m->formula, accept_name, NULL, &inner);
    if (rc == 0) {
        formula_free(f);
        rc = formula_compile(&f, m->formula, user_names_know, &names, &inner);
    }
    if (rc == 0) {
        formula_free(f);
        return 0;
    }
    snprintf(why, sizeof why, "in the formula, %.30s: %.255s", inner.what, inner.why);
    return fail_at(l, line, column, *names.help ? names.help : NULL, why);
}

static int check_cpus(struct loader *l, const struct metric_def *m, int line, int column)
{
    char help[80], why[96];
    const char *word;
    int len = user_names_wrong_cpu(m->cpus, &word, help, sizeof help);
    if (!len)
        return 0;
    snprintf(why, sizeof why, "cpus names '%.*s', which no built-in metric knows",
             len < 40 ? len : 40, word);
    return fail_at(l, line, column, help, why);
}

static int check_metric(struct loader *l, size_t i)
{
    struct user_tables *t = l->t;
    struct metric_def *m = &t->metrics[i];
    int line = t->metric_lines[i], column = l->formula_columns[i];
    if (!m->label)
        m->label = arena_strndup(&t->arena, m->id, 18);
    for (size_t k = 0; k < i; k++)
        if (strcmp(t->metrics[k].id, m->id) == 0 && strcmp(t->metrics[k].cpus, m->cpus) == 0)
            return fail_at(l, line, column, "give each metric an id of its own",
                           "an earlier metric has this id");
    for (const struct metric_def *d = metric_table; d->id; d++)
        if (strcmp(d->id, m->id) == 0)
            return fail_at(l, line, column, "choose another id", "a built-in metric has this id");
    int rc = check_formula(l, m, line, column);
    return rc ? rc : check_cpus(l, m, line, column);
}

static int check_user_tables(struct loader *l)
{
    struct user_tables *t = l->t;
    int rc = finish_table(l);
    for (size_t i = 0; i < t->nevents && rc == 0; i++)
        for (size_t k = 0; k < i && rc == 0; k++)
            if (strcmp(t->events[k].name, t->events[i].name) == 0 &&
                strcmp(t->events[k].set, t->events[i].set) == 0)
                rc = fail_at(l, t->events[i].line, l->event_columns[i], "rename one of them",
                             "an earlier event has this name and set");
    for (size_t i = 0; i < t->nmetrics && rc == 0; i++)
        rc = check_metric(l, i);
    return rc;
}

/* Reads the whole file, at most FILE_MAX bytes. Returns NULL and sets *rc on failure. */
static char *read_table_file(const char *path, size_t *len, int *rc)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        *rc = -errno;
        return NULL;
    }
    char *text = xcalloc(1, FILE_MAX + 2);
    ssize_t got = 0;
    *len = 0;
    *rc = fstat(fd, &st) ? -errno : 0;
    if (*rc == 0 && S_ISDIR(st.st_mode))
        *rc = -EISDIR;
    while (*rc == 0 && *len <= FILE_MAX && (got = read(fd, text + *len, FILE_MAX + 1 - *len)) > 0)
        *len += (size_t)got;
    if (got < 0)
        *rc = -errno;
    else if (*rc == 0 && *len > FILE_MAX)
        *rc = -EFBIG;
    close(fd);
    if (*rc) {
        free(text);
        return NULL;
    }
    return text;
}

static int parse_tables(struct loader *l, const char *text, size_t len)
{
    struct toml_failure bad;
    int rc = toml_walk(text, len, read_user_item, l, &bad);
    if (rc == -EINVAL && bad.line)
        return fail_at(l, bad.line, bad.column, NULL, bad.why);
    if (rc == -ENOMEM)
        return error_set(l->err, ERROR_INTERNAL, ENOMEM, NULL, l->t->path, "out of memory");
    return rc ? rc : check_user_tables(l);
}

int user_tables_load(struct user_tables **out, const char *path, bool asked, struct error *err)
{
    size_t len;
    int rc;
    *out = NULL;
    char *text = read_table_file(path, &len, &rc);
    if (!text)
        return error_set(err, ERROR_INPUT, -rc, NULL, path, "%s",
                         rc == -EFBIG ? "the file is larger than 1 MiB" : strerror(-rc));
    struct user_tables *t = xcalloc(1, sizeof *t);
    struct loader l = {.t = t, .err = err, .asked = asked};
    t->path = arena_strdup(&t->arena, path);
    rc = parse_tables(&l, text, len);
    free(text);
    free(l.formula_columns);
    free(l.event_columns);
    if (rc) {
        user_tables_free(t);
        return rc;
    }
    *out = t;
    return 0;
}

void user_tables_free(struct user_tables *t)
{
    if (!t)
        return;
    free(t->events);
    free(t->metrics);
    free(t->metric_lines);
    arena_free(&t->arena);
    free(t);
}
