#include "cli/options/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/nearest.h"
#include "base/owner.h"
#include "cli/options/command.h"
#include "engine/value/document.h"
#include "engine/value/toml.h"

enum { FILE_MAX = 1 << 16, PATH_SIZE = 4096 };

struct config_reader {
    const char *path;
    config_sink sink;
    void *ctx;
    struct error *err;
};

static int refuse_config_line(const struct config_reader *r, int line, int column, const char *help,
                              const char *why, const char *detail)
{
    char where[192];
    snprintf(where, sizeof where, "%.150s:%d:%d", r->path, line, column);
    return error_set(r->err, ERROR_INPUT, EINVAL, help, where, why, detail);
}

static int refuse_unknown_key(const struct config_reader *r, const struct toml_item *item)
{
    struct nearest nearest;
    char help[160] = "the manual lists the keys";
    nearest_start(&nearest, item->key);
    for (const struct option_def *d = shared_options; d->name; d++)
        if (d->config)
            nearest_offer(&nearest, d->name);
    if (command_option_find(commands[0], item->key, 0) >= 0)
        snprintf(help, sizeof help, "give it on the command line: --%s", item->key);
    else if (nearest_found(&nearest))
        snprintf(help, sizeof help, "did you mean '%s'?", nearest_found(&nearest));
    return refuse_config_line(r, item->line, item->column, help, "unknown key '%.80s'", item->key);
}

/* Resolves a path in the configuration: relative to the configuration's folder, ~/ is the home
 * directory. The result is absolute, so that it can be printed and read in another directory. */
static const char *path_beside_config(const char *config, const char *text, char full[PATH_SIZE])
{
    char dir[PATH_SIZE];
    const char *home = env_get("HOME"), *slash = strrchr(config, '/');
    int n = 0;
    snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - config) : 1, slash ? config : ".");
    char *whole = realpath(*dir ? dir : "/", NULL);
    if (text[0] == '~' && text[1] == '/' && home)
        n = snprintf(full, PATH_SIZE, "%s%s", home, text + 1);
    else if (text[0] && text[0] != '/' && whole)
        n = snprintf(full, PATH_SIZE, "%s/%s", whole, text);
    free(whole);
    return n > 0 && n < PATH_SIZE ? full : text;
}

/* Visits [keys] and [presets], whose entries are names with texts. */
static int visit_table(const struct config_reader *r, const struct toml_item *item)
{
    char where[256];
    if (strcmp(item->table, "keys") != 0 && strcmp(item->table, "presets") != 0)
        return refuse_config_line(r, item->line, item->column, "tables are [keys] and [presets]",
                                  "no table '%.80s' belongs here", item->table);
    if (item->type == TOML_TABLE)
        return 0;
    if (item->type != TOML_STRING)
        return refuse_config_line(r, item->line, item->column, "write a string: \"s F6\"",
                                  "'%.80s' takes one text", item->key);
    snprintf(where, sizeof where, "%.150s:%d:%d", r->path, item->line, item->column);
    return r->sink(r->ctx, item->table, item->key, item->string, where, r->err);
}

static int read_config_item(void *ctx, const struct toml_item *item)
{
    const struct config_reader *r = ctx;
    char where[256], number[32], full[PATH_SIZE];
    if (item->table[0])
        return visit_table(r, item);
    const struct option_def *d = option_key(item->key);
    if (!d)
        return refuse_unknown_key(r, item);
    const char *text = item->string;
    if (item->type == TOML_NUMBER)
        text = number_text(item->number, number);
    else if (item->type == TOML_BOOL)
        text = item->number != 0 ? "true" : "false";
    else if (item->type != TOML_STRING)
        return refuse_config_line(r, item->line, item->column,
                                  "write one string, number or boolean", "'%s' takes one value",
                                  item->key);
    if (strcmp(d->name, "metrics") == 0)
        text = path_beside_config(r->path, text, full);
    snprintf(where, sizeof where, "%.150s:%d:%d %s", r->path, item->line, item->column, d->name);
    return r->sink(r->ctx, "", d->name, text, where, r->err);
}

const char *config_usual_path(char *out, unsigned long size)
{
    const char *base = env_get("XDG_CONFIG_HOME"), *home = env_get("HOME");
    *out = 0;
    if (base && base[0] == '/')
        snprintf(out, size, "%s/rooftop/config.toml", base);
    else if (home)
        snprintf(out, size, "%s/.config/rooftop/config.toml", home);
    return out;
}

static int refuse_config_file(const char *path, int code, struct error *err)
{
    char what[192];
    snprintf(what, sizeof what, "configuration %.150s", path);
    return error_set(err, ERROR_INPUT, code, "name another with --config, or use --no-config", what,
                     "%s", strerror(code));
}

static int parse_config(struct config_reader *r, const char *text, size_t len)
{
    struct toml_failure failure = {0};
    r->err->kind = ERROR_NONE;
    int rc = toml_walk(text, len, read_config_item, r, &failure);
    if (rc == 0 || r->err->kind != ERROR_NONE)
        return rc;
    if (rc == -ENOMEM)
        return refuse_config_file(r->path, ENOMEM, r->err);
    return refuse_config_line(r, failure.line, failure.column, NULL, "%s", failure.why);
}

/* Refuses the default configuration if it belongs to another user, because it can contain commands
 * that run at the start and write files. Under sudo it may be the file of the user who called
 * sudo. */
static int not_ours(FILE *f, const char *path, struct error *err)
{
    char what[192];
    struct stat state;
    const char *why = NULL;
    if (fstat(fileno(f), &state) != 0)
        why = strerror(errno);
    else if (!S_ISCHR(state.st_mode)) /* /dev/null is used to have no configuration */
        why = owner_refuses(&state, geteuid());
    snprintf(what, sizeof what, "configuration %.150s", path);
    return why ? error_set(err, ERROR_INPUT, EPERM,
                           "name it with --config if you trust it, or use --no-config", what, "%s",
                           why)
               : 0;
}

int config_read(const char *path, config_sink sink, void *ctx, struct error *err)
{
    char usual[PATH_SIZE];
    bool asked = path != NULL;
    if (!asked)
        path = config_usual_path(usual, sizeof usual);
    FILE *f = *path ? fopen(path, "re") : NULL;
    if (!f) {
        bool missing = !*path || errno == ENOENT || errno == ENOTDIR;
        return asked || !missing ? refuse_config_file(path, errno, err) : 0;
    }
    int rc = asked ? 0 : not_ours(f, path, err);
    if (rc != 0) {
        fclose(f);
        return rc;
    }
    char *text = xcalloc(FILE_MAX, 1);
    errno = 0;
    size_t n = fread(text, 1, FILE_MAX, f);
    int code = n == FILE_MAX ? EFBIG : 0;
    if (ferror(f))
        code = errno;
    fclose(f);
    struct config_reader r = {.path = path, .sink = sink, .ctx = ctx, .err = err};
    rc = code ? refuse_config_file(path, code, err) : parse_config(&r, text, n);
    free(text);
    return rc;
}
