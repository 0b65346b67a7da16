#include "cli/options/options.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/env.h"
#include "base/nearest.h"
#include "cli/options/command.h"
#include "tui/input/keys.h"
#include "cli/options/config.h"
#include "engine/trace/trace.h"

struct parse {
    struct options *o;
    struct error *err;
    unsigned char *layer;                /* o->layer */
    const char *key_where[ACTION_COUNT]; /* of those that the configuration binds */
};

static const struct exclusion {
    const char *a, *b, *why; /* "--" stands for a command after -- */
} exclusions[] = {
    {"ascii", "utf8", "choose one"},
    {"config", "no-config", "choose one"},
    {"pid", "cgroup", "one target at a time"},
    {"pid", "--", "one target at a time"},
    {"cgroup", "--", "one target at a time"},
    {"cpu", "pid", "a process is followed on every CPU it runs on"},
    {"cpu", "--", "a command is followed on every CPU it runs on"},
};

const struct option_def *option_find(const char *name)
{
    for (const struct option_def *d = option_table; d->name; d++)
        if (strcmp(d->name, name) == 0)
            return d;
    return NULL;
}

bool option_in_command(const struct option_def *d, const char *command)
{
    const char *want = *command ? command : "-";
    size_t len = strlen(want);
    if (strcmp(d->commands, "*") == 0)
        return true;
    for (const char *p = d->commands; *p;) {
        size_t n = strcspn(p, " ");
        if (n == len && strncmp(p, want, n) == 0)
            return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

static bool command_known(const char *name)
{
    for (const struct command *c = commands; c->name; c++)
        if (*c->name && strcmp(c->name, name) == 0)
            return true;
    return false;
}

/* --- the command line --- */

static int unknown_option(struct parse *p, const char *name)
{
    char what[192], help[320];
    struct nearest nearest;
    nearest_start(&nearest, name);
    for (const struct option_def *d = option_table; d->name; d++)
        nearest_offer(&nearest, d->name);
    const char *near = nearest_found(&nearest);
    snprintf(what, sizeof what, "option --%s", name);
    if (near)
        snprintf(help, sizeof help, "did you mean --%s?", near);
    else
        snprintf(help, sizeof help, "see rooftop --help");
    return error_set(p->err, ERROR_USAGE, EINVAL, help, what, "there is no such option");
}

static int assign(struct parse *p, const struct option_def *d, const char *value)
{
    char where[64];
    snprintf(where, sizeof where, "--%s", d->name);
    p->layer[d - option_table] = LAYER_ARGS;
    return option_set(p->o, d, value, where, p->err);
}

static int needs_value(struct parse *p, const struct option_def *d)
{
    char what[64];
    snprintf(what, sizeof what, "--%s", d->name);
    return error_set(p->err, ERROR_USAGE, EINVAL, "see rooftop --help", what, "%s is missing",
                     d->arg);
}

/* argv[*i] is "--name" or "--name=value". */
static int parse_long(struct parse *p, int argc, char **argv, int *i)
{
    const char *word = argv[*i] + 2, *equals = strchr(word, '=');
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(equals ? equals - word : (long)strlen(word)), word);
    const struct option_def *d = option_find(name);
    if (!d)
        return unknown_option(p, name);
    if (d->type == OPTION_FLAG) {
        if (equals)
            return error_set(p->err, ERROR_USAGE, EINVAL, NULL, argv[*i], "--%s takes no value",
                             d->name);
        return assign(p, d, "true");
    }
    if (equals)
        return assign(p, d, equals + 1);
    if (*i + 1 >= argc || strcmp(argv[*i + 1], "--") == 0)
        return needs_value(p, d);
    return assign(p, d, argv[++*i]);
}

/* argv[*i] is "-x", "-xyz" (flags), or "-xVALUE". */
static int parse_short(struct parse *p, int argc, char **argv, int *i)
{
    for (const char *s = argv[*i] + 1; *s; s++) {
        const struct option_def *d = option_table;
        while (d->name && d->letter != *s)
            d++;
        if (!d->name) {
            char what[32];
            snprintf(what, sizeof what, "option -%c", *s);
            return error_set(p->err, ERROR_USAGE, EINVAL, "see rooftop --help", what,
                             "there is no such option");
        }
        if (d->type == OPTION_FLAG) {
            int rc = assign(p, d, "true");
            if (rc != 0)
                return rc;
            continue;
        }
        if (s[1])
            return assign(p, d, s + 1);
        if (*i + 1 >= argc || strcmp(argv[*i + 1], "--") == 0)
            return needs_value(p, d);
        return assign(p, d, argv[++*i]);
    }
    return 0;
}

/* What looks like a path is one, so that its absence is told as such. */
/* Or meant as one: commands have neither a slash nor a dot. */
static bool is_file(const char *word)
{
    return strpbrk(word, "/.") || access(word, F_OK) == 0;
}

static int parse_word(struct parse *p, char *word)
{
    struct options *o = p->o;
    if (*o->command) {
        o->operands[o->noperands++] = word;
        return 0;
    }
    if (command_known(word)) {
        o->command = word;
        return 0;
    }
    if (is_file(word)) { /* the dashboard of a file */
        o->operands[o->noperands++] = word;
        return 0;
    }
    char what[192], help[320];
    struct nearest nearest;
    nearest_start(&nearest, word);
    for (const struct command *c = commands; c->name; c++)
        if (*c->name)
            nearest_offer(&nearest, c->name);
    const char *near = nearest_found(&nearest);
    snprintf(what, sizeof what, "command '%s'", word);
    if (near)
        snprintf(help, sizeof help, "did you mean '%s'? to watch a program: rooftop -- %.80s", near,
                 word);
    else
        snprintf(help, sizeof help, "to watch a program: rooftop -- %.80s", word);
    return error_set(p->err, ERROR_USAGE, EINVAL, help, what, "rooftop has no such command");
}

static int parse_args(struct parse *p, int argc, char **argv)
{
    int rc = 0;
    for (int i = 1; i < argc && rc == 0; i++) {
        if (strcmp(argv[i], "--") == 0) {
            if (i + 1 >= argc || !argv[i + 1][0])
                return error_set(p->err, ERROR_USAGE, EINVAL, "give one: rooftop -- make test",
                                 "--", "no command follows");
            p->o->argv = argv + i + 1;
            return 0;
        }
        if (strncmp(argv[i], "--", 2) == 0)
            rc = parse_long(p, argc, argv, &i);
        else if (argv[i][0] == '-' && argv[i][1])
            rc = parse_short(p, argc, argv, &i);
        else
            rc = parse_word(p, argv[i]);
    }
    return rc;
}

/* --- the other layers --- */

static bool open_for(const struct parse *p, const struct option_def *d, enum option_layer layer)
{
    return p->layer[d - option_table] < layer && option_in_command(d, p->o->command);
}

static int parse_env(struct parse *p)
{
    for (const struct option_def *d = option_table; d->name; d++) {
        char name[64] = "ROOFTOP_";
        size_t n = strlen(name);
        for (const char *s = d->name; *s && n + 1 < sizeof name; s++)
            name[n++] = *s == '-' ? '_' : (char)toupper((unsigned char)*s);
        name[n] = 0;
        const char *text = env_get(name);
        bool allowed = d->config || strcmp(d->name, "config") == 0;
        if (!text || !allowed || !open_for(p, d, LAYER_ENV))
            continue;
        int rc = option_set(p->o, d, text, name, p->err);
        if (rc != 0)
            return rc;
        p->layer[d - option_table] = LAYER_ENV;
    }
    return 0;
}

static int bind_from_config(struct parse *p, const char *name, const char *keys, const char *where)
{
    char what[192];
    int rc = keymap_bind(name, keys, p->err);
    if (rc != 0) {
        snprintf(what, sizeof what, "%.120s %.60s", where, p->err->what);
        memcpy(p->err->what, what, sizeof what);
        return rc;
    }
    for (int i = 1; i < ACTION_COUNT; i++)
        if (strcmp(action_table[i].name, name) == 0)
            p->key_where[i] = arena_strdup(&p->o->storage, where);
    return 0;
}

static int check_keys(struct parse *p)
{
    char what[192];
    enum action which = ACTION_NONE;
    int rc = keymap_check(p->err, &which);
    if (rc != 0 && p->key_where[which]) {
        snprintf(what, sizeof what, "%.120s %.60s", p->key_where[which], p->err->what);
        memcpy(p->err->what, what, sizeof what);
    }
    return rc;
}

static int add_preset(struct parse *p, const char *name, const char *boxes, const char *where)
{
    struct options *o = p->o;
    if (o->npresets == PRESETS_MAX)
        return error_set(p->err, ERROR_INPUT, E2BIG, NULL, where, "more than %d presets",
                         PRESETS_MAX);
    o->presets[o->npresets++] =
        (struct preset){arena_strdup(&o->storage, name), arena_strdup(&o->storage, boxes)};
    return 0;
}

static int set_from_config(void *ctx, const char *table, const char *key, const char *text,
                           const char *where, struct error *err)
{
    struct parse *p = ctx;
    if (strcmp(table, "keys") == 0)
        return bind_from_config(p, key, text, where);
    if (strcmp(table, "presets") == 0)
        return add_preset(p, key, text, where);
    const struct option_def *d = option_find(key);
    struct options scratch = {0}; /* a bad value is told even where a stronger layer hides it */
    struct options *into = open_for(p, d, LAYER_CONFIG) ? p->o : &scratch;
    int rc = option_set(into, d, text, where, err);
    if (rc != 0)
        err->kind = ERROR_INPUT;
    else if (into == p->o)
        p->layer[d - option_table] = LAYER_CONFIG;
    arena_free(&scratch.storage);
    return rc;
}

static int apply_defaults(struct parse *p)
{
    int rc = 0;
    for (const struct option_def *d = option_table; d->name && rc == 0; d++)
        if (d->fallback)
            rc = option_set(p->o, d, d->fallback, d->name, p->err);
    return rc;
}

/* --- what does not go together --- */

/* A flag that was set to false excludes nothing. */
static int layer_of(const struct parse *p, const char *name)
{
    if (strcmp(name, "--") == 0)
        return p->o->argv ? LAYER_ARGS : LAYER_DEFAULT;
    const struct option_def *d = option_find(name);
    bool off = d->type == OPTION_FLAG && !*(const bool *)((const char *)p->o + d->offset);
    return off ? LAYER_DEFAULT : p->layer[d - option_table];
}

static int check_exclusions(struct parse *p)
{
    for (size_t i = 0; i < sizeof exclusions / sizeof *exclusions; i++) {
        const struct exclusion *x = &exclusions[i];
        int a = layer_of(p, x->a), b = layer_of(p, x->b);
        if (a == LAYER_DEFAULT || b == LAYER_DEFAULT)
            continue;
        if (a == b) {
            char what[96];
            bool command = strcmp(x->b, "--") == 0;
            snprintf(what, sizeof what, "--%s and %s%s", x->a, command ? "a command" : "--",
                     command ? "" : x->b);
            return error_set(p->err, ERROR_USAGE, EINVAL, NULL, what, "%s", x->why);
        }
        /* Only flags may meet across layers: the stronger layer wins. */
        const struct option_def *weak = option_find(a < b ? x->a : x->b);
        if (weak->type == OPTION_FLAG)
            *(bool *)((char *)p->o + weak->offset) = false;
    }
    return 0;
}

static bool starts_commands(const char *name)
{
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c->starts;
    return false;
}

static int check_commands(struct parse *p)
{
    const char *command = p->o->command;
    for (const struct option_def *d = option_table; d->name; d++) {
        if (p->layer[d - option_table] != LAYER_ARGS || option_in_command(d, command))
            continue;
        char what[64];
        snprintf(what, sizeof what, "--%s", d->name);
        return error_set(p->err, ERROR_USAGE, EINVAL, NULL, what, "not an option of rooftop %s",
                         command);
    }
    if (!*command && p->o->noperands && p->o->argv)
        return error_set(p->err, ERROR_USAGE, EINVAL, "to watch a program: rooftop -- COMMAND",
                         p->o->operands[0], "a file and a command exclude each other");
    if (p->o->argv && !starts_commands(command))
        return error_set(p->err, ERROR_USAGE, EINVAL, NULL, "--", "rooftop %s starts no command",
                         command);
    return 0;
}

/* None of these means anything to the dashboard; the output of profile is a folder. */
static void imply_headless(struct options *o)
{
    if (o->format || o->frames || (o->output && strcmp(o->command, "profile") != 0))
        o->headless = true;
}

int options_parse(struct options *o, int argc, char **argv, struct error *err)
{
    *o = (struct options){.command = "", .argc = argc, .args = argv};
    struct parse p = {.o = o, .err = err, .layer = o->layer};
    keymap_reset();
    o->operands = arena_alloc(&o->storage, ((size_t)argc + 1) * sizeof *o->operands);
    int rc = apply_defaults(&p);
    if (rc == 0)
        rc = parse_args(&p, argc, argv);
    /* Help is wanted most where something is wrong: nothing else is looked at. */
    if (rc == 0 && (o->help || o->version || o->generate))
        return check_commands(&p);
    if (rc == 0)
        rc = parse_env(&p);
    if (rc == 0)
        rc = check_commands(&p);
    if (rc == 0 && !o->no_config)
        rc = config_read(o->config, set_from_config, &p, err);
    if (rc == 0)
        rc = check_keys(&p);
    if (rc == 0)
        rc = check_exclusions(&p);
    uint64_t memory = 0;
    if (rc == 0 && o->max_memory)
        rc = options_bytes("--max-memory", o->max_memory, &memory, err);
    if (rc == 0)
        memory_set_limit(memory);
    imply_headless(o);
    return rc;
}

void options_free(struct options *o)
{
    arena_free(&o->storage);
    *o = (struct options){.command = ""};
}
