#include "engine/golden/golden_store.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/order.h"
#include "engine/value/text_file.h"
#include "engine/value/toml.h"

enum { NAME_LONGEST = 100 };

/* A file of scenarios while it is read. */
struct scenario_reading {
    struct golden_scenarios *out;
    const char *path;
    struct error *err;
    char *pattern, *with; /* of the redaction that is read */
    int line, column;     /* of its header */
    bool redaction;
};

static int refuse_scenario(struct scenario_reading *r, int line, int column, const char *format,
                           ...) __attribute__((format(printf, 4, 5)));
static int refuse_scenario(struct scenario_reading *r, int line, int column, const char *format,
                           ...)
{
    char what[192], why[256];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    snprintf(what, sizeof what, "%.120s:%d:%d", r->path, line, column);
    return error_set(r->err, ERROR_INPUT, EINVAL,
                     "there are [[scenario]] with name, command, level, and [[redact]] with "
                     "pattern, with",
                     what, "%s", why);
}

static int end_redaction(struct scenario_reading *r)
{
    char why[128];
    int rc = 0;
    if (r->redaction && !r->pattern)
        rc = refuse_scenario(r, r->line, r->column, "this redaction has no pattern");
    else if (r->redaction && golden_redact_add(&r->out->redactions, r->pattern, r->with, why) != 0)
        rc = refuse_scenario(r, r->line, r->column, "pattern: %s", why);
    free(r->pattern);
    free(r->with);
    r->pattern = r->with = NULL;
    r->redaction = false;
    return rc;
}

static int check_scenario(struct scenario_reading *r)
{
    const struct golden_scenario *s = r->out->n ? &r->out->list[r->out->n - 1] : NULL;
    if (!s || r->redaction)
        return 0;
    if (!s->name || s->nwords == 0)
        return refuse_scenario(r, r->line, r->column, "this scenario has no %s",
                               s->name ? "command" : "name");
    for (size_t i = 0; i + 1 < r->out->n; i++)
        if (strcmp(r->out->list[i].name, s->name) == 0)
            return refuse_scenario(r, r->line, r->column, "there are two scenarios called %.80s",
                                   s->name);
    return 0;
}

static int begin_scenario_table(struct scenario_reading *r, const struct toml_item *item)
{
    int rc = r->redaction ? end_redaction(r) : check_scenario(r);
    if (rc != 0)
        return rc;
    r->line = item->line;
    r->column = item->column;
    if (strcmp(item->table, "redact") == 0) {
        r->redaction = true;
    } else if (strcmp(item->table, "scenario") == 0) {
        LIST_ROOM(r->out->list, r->out->n, r->out->cap);
        r->out->list[r->out->n++] = (struct golden_scenario){.level = GOLDEN_ORDER};
    } else {
        return refuse_scenario(r, item->line, item->column, "no table is called %.80s",
                               item->table);
    }
    return 0;
}

static void add_command_word(struct golden_scenario *s, const char *word)
{
    s->command = xrealloc(s->command, s->nwords + 2, sizeof *s->command);
    s->command[s->nwords++] = xstrdup(word);
    s->command[s->nwords] = NULL;
}

static int take_scenario(struct scenario_reading *r, const struct toml_item *item)
{
    struct golden_scenario *s = &r->out->list[r->out->n - 1];
    if (strcmp(item->key, "command") == 0)
        add_command_word(s, item->string);
    else if (strcmp(item->key, "level") == 0 && strcmp(item->string, "effects") == 0)
        s->level = GOLDEN_EFFECTS;
    else if (strcmp(item->key, "level") == 0 && strcmp(item->string, "order") == 0)
        s->level = GOLDEN_ORDER;
    else if (strcmp(item->key, "level") == 0)
        return refuse_scenario(r, item->line, item->column, "level is effects or order");
    else if (strcmp(item->key, "name") != 0)
        return refuse_scenario(r, item->line, item->column, "a scenario has no %.80s", item->key);
    else if (!golden_name_ok(item->string))
        return refuse_scenario(r, item->line, item->column,
                               "a name has letters, digits, '.', '-' and '_', at most %d",
                               NAME_LONGEST);
    else if (!s->name)
        s->name = xstrdup(item->string);
    return 0;
}

static int take_scenario_item(void *ctx, const struct toml_item *item)
{
    struct scenario_reading *r = ctx;
    if (!item->key)
        return begin_scenario_table(r, item);
    if (item->type != TOML_STRING)
        return refuse_scenario(r, item->line, item->column, "%.80s is not a text in quotes",
                               item->key);
    if (r->redaction) {
        char **to;
        if (strcmp(item->key, "pattern") == 0)
            to = &r->pattern;
        else if (strcmp(item->key, "with") == 0)
            to = &r->with;
        else
            return refuse_scenario(r, item->line, item->column, "a redaction has no %.80s",
                                   item->key);
        free(*to);
        *to = xstrdup(item->string);
        return 0;
    }
    if (strcmp(item->table, "scenario") != 0 || r->out->n == 0)
        return refuse_scenario(r, item->line, item->column, "%.80s stands in no [[scenario]]",
                               item->key);
    return take_scenario(r, item);
}

int golden_scenarios_parse(struct golden_scenarios *out, const char *path, const char *text,
                           size_t n, struct error *err)
{
    *out = (struct golden_scenarios){0};
    struct scenario_reading r = {.out = out, .path = path, .err = err};
    struct toml_failure bad = {0};
    int rc = toml_walk_deep(text, n, take_scenario_item, &r, &bad);
    if (bad.line)
        rc = refuse_scenario(&r, bad.line, bad.column, "%s", bad.why);
    if (rc == 0)
        rc = check_scenario(&r);
    int end = rc == 0 ? end_redaction(&r) : 0;
    if (rc == 0)
        rc = end;
    free(r.pattern);
    free(r.with);
    if (rc != 0)
        golden_scenarios_free(out);
    return rc;
}

int golden_scenarios_load(struct golden_scenarios *out, const char *path, struct error *err)
{
    *out = (struct golden_scenarios){0};
    char *text;
    size_t n;
    int rc = text_file_read(&text, &n, path, err);
    if (rc == 0)
        rc = golden_scenarios_parse(out, path, text, n, err);
    free(text);
    return rc;
}

const struct golden_scenario *golden_scenario_named(const struct golden_scenarios *s,
                                                    const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->list[i].name, name) == 0)
            return &s->list[i];
    return NULL;
}

void golden_scenarios_free(struct golden_scenarios *s)
{
    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = 0; k < s->list[i].nwords; k++)
            free(s->list[i].command[k]);
        free(s->list[i].command);
        free(s->list[i].name);
    }
    free(s->list);
    golden_redactions_free(&s->redactions);
    *s = (struct golden_scenarios){0};
}

bool golden_name_ok(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    size_t n = strlen(name);
    return n > 0 && n <= NAME_LONGEST && name[0] != '.' && name[0] != '-' &&
           strspn(name, allowed) == n;
}

char **golden_names(const char *folder, size_t *n)
{
    char **list = xcalloc(1, sizeof *list);
    size_t cap = 0;
    DIR *d = opendir(folder);
    const struct dirent *entry;
    *n = 0;
    while (d && (entry = readdir(d))) {
        size_t length = strlen(entry->d_name);
        if (length <= 5 || strcmp(entry->d_name + length - 5, ".json") != 0)
            continue;
        char *name = xstrdup(entry->d_name);
        name[length - 5] = 0;
        if (!golden_name_ok(name)) {
            free(name);
            continue;
        }
        if (cap == 0) {
            free(list);
            list = NULL;
        }
        LIST_ROOM(list, *n, cap);
        list[(*n)++] = name;
    }
    if (d)
        closedir(d);
    if (*n > 1)
        qsort(list, *n, sizeof *list, order_texts);
    return list;
}
