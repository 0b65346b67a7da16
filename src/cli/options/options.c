#include "cli/options/options.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/options/command.h"
#include "cli/options/config.h"
#include "engine/trace/collective.h"
#include "engine/trace/trace.h"
#include "tui/input/keys.h"

struct parse {
    struct options *o;
    struct error *err;
    const struct command *command;
    struct command_found found;
    unsigned char *layer;                /* points to o->layer */
    const char *key_where[ACTION_COUNT]; /* for each action that the configuration binds:
                                            FILE:LINE:COL, for messages */
};

static const struct exclusion {
    const char *a, *b, *why; /* "--" stands for the command after "--" */
} exclusions[] = {
    {"ascii", "utf8", "choose one"},
    {"config", "no-config", "choose one"},
    {"pid", "cgroup", "one target at a time"},
    {"pid", "--", "one target at a time"},
    {"cgroup", "--", "one target at a time"},
    {"cpu", "pid", "a process is followed on every CPU it runs on"},
    {"cpu", "--", "a command is followed on every CPU it runs on"},
};

/* --- the command line --- */

/* The command as typed: "rooftop", "rooftop report tree". */
static const char *command_as_typed(const struct parse *p, char out[48])
{
    snprintf(out, 48, "rooftop%s%.32s", *p->command->name ? " " : "", command_words(p->command));
    return out;
}

/* Another command that takes the option; NULL: none does. */
static const struct command *taken_by(const char *name, char letter)
{
    for (size_t i = 0; commands[i]; i++) {
        const int at = command_option_find(commands[i], name, letter);
        if (at >= 0 && !commands[i]->options[at].row->internal)
            return commands[i];
    }
    return NULL;
}

/* The command whose name is near: "--asert" is a command typed as an option. */
static const struct command *find_near_command(const char *name)
{
    struct nearest nearest;
    nearest_start(&nearest, name);
    for (size_t i = 1; commands[i]; i++) {
        nearest_offer(&nearest, commands[i]->name);
        nearest_offer(&nearest, command_words(commands[i]));
    }
    return nearest_found(&nearest) ? command_typed(nearest_found(&nearest)) : NULL;
}

static int unknown_option(struct parse *p, const char *name, char letter)
{
    char what[192], help[320], self[48];
    struct nearest nearest;
    nearest_start(&nearest, name ? name : "");
    for (size_t i = 0; name && command_option(p->command, i).name; i++)
        nearest_offer(&nearest, command_option(p->command, i).name);
    const char *near = name ? nearest_found(&nearest) : NULL;
    const struct command *other = taken_by(name, letter);
    if (name)
        snprintf(what, sizeof what, "option --%.150s", name);
    else
        snprintf(what, sizeof what, "option -%c", letter);
    const struct command *is = name && *name ? command_typed(name) : NULL;
    const struct command *nearly =
        name && *name && p->command == commands[0] ? find_near_command(name) : NULL;
    int n = 0;
    if (is)
        n = snprintf(help, sizeof help, "it is a command: rooftop %s", command_words(is));
    else if (near)
        n = snprintf(help, sizeof help, "did you mean --%s?", near);
    else if (nearly)
        n = snprintf(help, sizeof help, "did you mean rooftop %s?", command_words(nearly));
    else
        n = snprintf(help, sizeof help, "see %s --help", command_as_typed(p, self));
    if (other)
        snprintf(help + n, sizeof help - (size_t)n, "; it is an option of rooftop%s%s",
                 *other->name ? " " : "", command_words(other));
    return error_set(p->err, ERROR_USAGE, EINVAL, help, what,
                     other ? "not an option of %s" : "%s has no such option",
                     command_as_typed(p, self));
}

static bool is_command_word(const struct parse *p, int i)
{
    for (int k = 0; k < p->found.nwords; k++)
        if (p->found.words[k] == i)
            return true;
    return false;
}

/* Takes "-" for the path of standard input, which can be read once. */
static int take_stdin(struct parse *p, const char **path)
{
    if (p->o->reads_stdin)
        return error_set(p->err, ERROR_USAGE, EINVAL, "write one of them to a file first", "-",
                         "standard input can be read only once");
    p->o->reads_stdin = true;
    *path = OPTIONS_STDIN;
    return 0;
}

/* Refuses "-" where a stream cannot be: the option names something else than a file that is read or
 * written from its begin to its end. */
static int check_stream(struct parse *p, const struct option_def *d)
{
    static const char *const others[][2] = {{"DIR", "a folder"},
                                            {"FOLDER", "a folder"},
                                            {"SESSION", "a session (a database)"},
                                            {"DATABASE", "a database"}};
    char what[64];
    snprintf(what, sizeof what, "--%s -", d->name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (d->arg && strcmp(d->arg, others[i][0]) == 0)
            return error_set(p->err, ERROR_USAGE, EINVAL, "give it a name", what,
                             "%s cannot be a stream", others[i][1]);
    return 0;
}

/* Replaces "-" where it is given for a file. *value is NULL afterwards where that is how the
 * command writes to standard output; trace does so when it gets "-". */
static int take_stream(struct parse *p, const struct command_option *o, const char **value)
{
    const struct option_def d = option_as_taken(o);
    const bool file = d.arg && strcmp(d.arg, "FILE") == 0;
    const bool output = strcmp(d.name, "output") == 0;
    if (file && !output)
        return take_stdin(p, value);
    if (file && (!o->help || p->command == commands[0])) {
        *value = NULL;
        p->o->headless = true;
    }
    return check_stream(p, &d);
}

/* Asks for the short answer in this format. */
static int ask_answer(struct parse *p, const char *format)
{
    p->o->brief = true;
    p->o->answer = format;
    if (!p->command->converts)
        p->o->format = format;
    return 0;
}

/* Takes --brief=FORMAT. */
static int assign_answer(struct parse *p, const char *format)
{
    static const char *const formats[] = {"text", "json", "markdown"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(format, formats[i]) == 0)
            return ask_answer(p, formats[i]);
    return error_set(p->err, ERROR_USAGE, EINVAL, "it is written as text, json or markdown",
                     "--brief", "there is no brief answer as %s", format);
}

static int assign_option(struct parse *p, int at, const char *value)
{
    const struct option_def d = option_as_taken(&p->command->options[at]);
    char where[64];
    if (strcmp(value, "-") == 0) {
        const int rc = take_stream(p, &p->command->options[at], &value);
        if (rc != 0 || !value)
            return rc;
    }
    snprintf(where, sizeof where, "--%s", d.name);
    p->layer[at] = LAYER_ARGS;
    if (strcmp(d.name, "format") == 0 && strcmp(value, "markdown") == 0 &&
        command_option_find(p->command, "brief", 0) >= 0) /* whatever the command */
        return ask_answer(p, "markdown");
    return option_set(p->o, &d, value, where, p->err);
}

/* Takes the next word as the option's value. */
static int assign_next(struct parse *p, int at, int argc, char **argv, int *i)
{
    char what[64], help[80], self[48];
    const struct option_def d = option_as_taken(&p->command->options[at]);
    if (d.alone && (*i + 1 == argc || argv[*i + 1][0] == '-' || is_command_word(p, *i + 1)))
        return assign_option(p, at, d.alone);
    if (*i + 1 < argc && strcmp(argv[*i + 1], "--") != 0)
        return assign_option(p, at, argv[++*i]);
    snprintf(what, sizeof what, "--%s", d.name);
    snprintf(help, sizeof help, "see %s --help", command_as_typed(p, self));
    return error_set(p->err, ERROR_USAGE, EINVAL, help, what, "%s is missing", d.arg);
}

/* Parses argv[*i], "--name" or "--name=value". */
static int parse_long(struct parse *p, int argc, char **argv, int *i)
{
    const char *word = argv[*i] + 2, *equals = strchr(word, '=');
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(equals ? equals - word : (long)strlen(word)), word);
    const int at = command_option_find(p->command, name, 0);
    if (at < 0)
        return unknown_option(p, name, 0);
    const bool flag = p->command->options[at].row->type == OPTION_FLAG;
    if (flag && equals && strcmp(name, "brief") == 0)
        return assign_answer(p, equals + 1);
    if (flag && equals)
        return error_set(p->err, ERROR_USAGE, EINVAL, NULL, argv[*i], "--%s takes no value", name);
    if (flag || equals)
        return assign_option(p, at, flag ? "true" : equals + 1);
    return assign_next(p, at, argc, argv, i);
}

/* Parses argv[*i], "-x", "-xyz" (flags) or "-xVALUE". */
static int parse_short(struct parse *p, int argc, char **argv, int *i)
{
    int rc = 0;
    for (const char *s = argv[*i] + 1; *s && rc == 0; s++) {
        const int at = command_option_find(p->command, NULL, *s);
        if (at < 0)
            return unknown_option(p, NULL, *s);
        if (p->command->options[at].row->type != OPTION_FLAG)
            return s[1] ? assign_option(p, at, s + 1) : assign_next(p, at, argc, argv, i);
        rc = assign_option(p, at, "true");
        p->o->help_short = p->o->help_short || *s == 'h'; /* -h, of every command */
    }
    return rc;
}

/* --- words --- */

static int parse_word(struct parse *p, char *word)
{
    struct options *o = p->o;
    const struct command *c = p->command;
    if (command_is_second(c, word))
        return error_set(p->err, ERROR_USAGE, EINVAL, "a file of that name: ./NAME", word,
                         "rooftop %s is another command: choose one", command_words(c));
    const bool typo = command_is_noun(c) && !command_is_file_word(word) && command_is_near(c, word);
    if (!c->run || typo)
        return command_refuse(command_words(c), word, p->err);
    if (!*o->command && !command_is_file_word(word))
        return command_refuse("", word, p->err);
    if (c->files && !*word)
        return error_set(p->err, ERROR_USAGE, EINVAL, "is the variable of the shell set?", "''",
                         "a file has no name");
    const char *path = word;
    const int rc = c->files && strcmp(word, "-") == 0 ? take_stdin(p, &path) : 0;
    o->operands[o->noperands++] = (char *)path;
    return rc;
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
        if (i == p->found.program) {
            p->o->argv = argv + i;
            return 0;
        }
        if (is_command_word(p, i))
            continue;
        if (strncmp(argv[i], "--", 2) == 0)
            rc = parse_long(p, argc, argv, &i);
        else if (argv[i][0] == '-' && argv[i][1])
            rc = parse_short(p, argc, argv, &i);
        else
            rc = parse_word(p, argv[i]);
    }
    return rc;
}

/* --- environment, configuration, defaults --- */

/* The option's index in the command's list if no stronger layer has set it; -1: it must not be
 * set. An option of the command's own that has the same name, as judge's --run, is another one. */
static int open_for(const struct parse *p, const struct option_def *d, enum option_layer layer)
{
    for (int at = 0; p->command->options[at].row; at++)
        if (p->command->options[at].row == d)
            return p->layer[at] < layer ? at : -1;
    return -1;
}

static int parse_env(struct parse *p)
{
    for (const struct option_def *d = shared_options; d->name; d++) {
        char name[64] = "ROOFTOP_";
        size_t n = strlen(name);
        for (const char *s = d->name; *s && n + 1 < sizeof name; s++)
            name[n++] = *s == '-' ? '_' : (char)toupper((unsigned char)*s);
        name[n] = 0;
        const char *text = env_get(name);
        const int at = open_for(p, d, LAYER_ENV);
        bool allowed = d->config || strcmp(d->name, "config") == 0;
        if (!text || !allowed || at < 0)
            continue;
        int rc = option_set(p->o, d, text, name, p->err);
        if (rc != 0)
            return rc;
        p->layer[at] = LAYER_ENV;
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
    const struct option_def *d = option_key(key);
    const int at = open_for(p, d, LAYER_CONFIG);
    struct options scratch = {
        0}; /* a wrong value is reported even if a stronger layer overrides it */
    struct options *into = at >= 0 ? p->o : &scratch;
    int rc = option_set(into, d, text, where, err);
    if (rc != 0)
        err->kind = ERROR_INPUT;
    else if (into == p->o)
        p->layer[at] = LAYER_CONFIG;
    arena_free(&scratch.storage);
    return rc;
}

static int apply_default(struct options *o, const struct option_def *d, struct error *err)
{
    return d->fallback ? option_set(o, d, d->fallback, d->name, err) : 0;
}

int options_own(struct options *o, const struct command *command, struct error *err)
{
    int rc = 0;
    size_t size = 0;
    for (const struct command_option *c = command->options; c->row; c++)
        size = c->row->own ? c->row->own : size;
    o->own = arena_alloc(&o->storage, size);
    for (const struct command_option *c = command->options; c->row && rc == 0; c++)
        if (c->row->own)
            rc = apply_default(o, c->row, err);
    return rc;
}

/* Sets the defaults, also of the dashboard's options, because other commands end in it. */
static int apply_defaults(struct parse *p)
{
    int rc = options_own(p->o, p->command, p->err);
    for (const struct option_def *d = shared_options; d->name && rc == 0; d++)
        rc = apply_default(p->o, d, p->err);
    for (const struct command_option *c = commands[0]->options; c->row && rc == 0; c++)
        rc = apply_default(p->o, c->row, p->err);
    return rc;
}

/* --- options that exclude each other --- */

/* The layer that set the option. A flag that was set to false excludes nothing and counts as not
 * set. */
static int layer_of(const struct parse *p, const char *name)
{
    if (strcmp(name, "--") == 0)
        return p->o->argv ? LAYER_ARGS : LAYER_DEFAULT;
    for (int i = 0; p->command->options[i].row; i++) {
        const struct option_def *d = p->command->options[i].row;
        if (p->layer[i] == LAYER_DEFAULT || strcmp(d->name, name) != 0)
            continue;
        bool off = d->type == OPTION_FLAG && !*(const bool *)option_value(p->o, d);
        return off ? LAYER_DEFAULT : p->layer[i];
    }
    return LAYER_DEFAULT;
}

static int check_exclusions(struct parse *p)
{
    for (size_t i = 0; i < sizeof exclusions / sizeof *exclusions; i++) {
        const struct exclusion *x = &exclusions[i];
        const int a = layer_of(p, x->a);
        const int b = a == LAYER_DEFAULT ? a : layer_of(p, x->b);
        if (b == LAYER_DEFAULT)
            continue;
        if (a == b) {
            char what[96];
            bool command = strcmp(x->b, "--") == 0;
            snprintf(what, sizeof what, "--%s and %s%s", x->a, command ? "a command" : "--",
                     command ? "" : x->b);
            return error_set(p->err, ERROR_USAGE, EINVAL, NULL, what, "%s", x->why);
        }
        /* Only flags may be set in two layers: the stronger one wins. */
        const int at = command_option_find(p->command, a < b ? x->a : x->b, 0);
        const struct option_def *weak = p->command->options[at].row;
        if (weak->type == OPTION_FLAG)
            *(bool *)option_value(p->o, weak) = false;
    }
    return 0;
}

/* Handles "rooftop gpu replay" without a sub-command. */
static int word_missing(struct parse *p)
{
    char self[48], words[160] = "";
    const char *own = command_words(p->command);
    const size_t length = strlen(own);
    for (size_t i = 0, n = 0; commands[i] && n < sizeof words; i++)
        if (command_is_below(commands[i], p->command)) {
            const char *below = command_words(commands[i]);
            /* "golden" has other words than what is below it: "check golden diff" */
            if (strncmp(below, own, length) == 0)
                below += length + 1;
            if (strchr(below, ' ') && command_is_listed(p->command))
                continue; /* below one of them */
            n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", n ? ", " : "", below);
        }
    return error_set(p->err, ERROR_USAGE, EINVAL, p->command->usage, command_as_typed(p, self),
                     "one of %s must follow", words);
}

static int check_commands(struct parse *p)
{
    const char *command = p->o->command;
    char self[48];
    if (!*command && p->o->noperands && p->o->argv)
        return error_set(p->err, ERROR_USAGE, EINVAL, "to watch a program: rooftop -- COMMAND",
                         p->o->operands[0], "a file and a command exclude each other");
    if (p->o->argv && !p->command->starts)
        return error_set(p->err, ERROR_USAGE, EINVAL, NULL, "--", "%s starts no command",
                         command_as_typed(p, self));
    const char *format = p->o->format;
    if (p->o->brief && format && !p->command->converts && assign_answer(p, format) != 0)
        return -EINVAL;
    return p->command->run || p->o->help || p->o->version ? 0 : word_missing(p);
}

/* These options imply --headless, because they mean nothing in the dashboard. The output of
 * profile is a folder. */
static void imply_headless(struct options *o)
{
    if (o->format || o->brief || o->frames || (o->output && strcmp(o->command, "profile") != 0))
        o->headless = true;
}

int options_parse(struct options *o, int argc, char **argv, struct error *err)
{
    *o = (struct options){.command = "", .argc = argc, .args = argv};
    struct parse p = {.o = o, .err = err, .layer = o->layer};
    keymap_reset();
    o->operands = arena_alloc(&o->storage, ((size_t)argc + 1) * sizeof *o->operands);
    command_line_find(argc, argv, &p.found);
    p.command = p.found.command;
    o->command = p.command->name;
    o->hidden = p.found.hidden;
    o->words = *o->command ? command_words(p.command) : "rooftop";
    int rc = apply_defaults(&p);
    if (rc == 0)
        rc = parse_args(&p, argc, argv);
    /* --help must work even if something else is wrong, so nothing else is checked. */
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
    collective_set_own(o->collectives);
    imply_headless(o);
    return rc;
}

void options_free(struct options *o)
{
    arena_free(&o->storage);
    *o = (struct options){.command = ""};
}
