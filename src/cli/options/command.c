/* Looks up commands and their options. */
#include "cli/options/command.h"

#include <string.h>

#include "engine/replay/replay_protocol.h"

const struct option_def shared_options[SHARED_COUNT + 1] = {
#define SHARED(id, ...) [SHARED_##id] = {__VA_ARGS__},
#include "cli/options/shared.def"
#undef SHARED
};

bool option_is_shared(const struct option_def *d)
{
    for (const struct option_def *s = shared_options; s->name; s++)
        if (s == d)
            return true;
    return false;
}

const struct command *command_named(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

struct option_def option_as_taken(const struct command_option *o)
{
    struct option_def d = *o->row;
    d.arg = o->arg ? o->arg : d.arg;
    d.choices = o->choices ? o->choices : d.choices;
    d.help = o->help ? o->help : d.help;
    return d;
}

struct option_def command_option(const struct command *c, size_t i)
{
    const struct command_option *o = c->options;
    while (o->row && (o->row->internal || i-- > 0))
        o++;
    return o->row ? option_as_taken(o) : (struct option_def){.name = NULL};
}

int command_option_find(const struct command *c, const char *name, char letter)
{
    for (int i = 0; c->options[i].row; i++) {
        const struct option_def *d = c->options[i].row;
        if (name ? strcmp(d->name, name) == 0 : letter && d->letter == letter)
            return i;
    }
    return -1;
}

const struct option_def *option_key(const char *name)
{
    for (const struct option_def *d = shared_options; d->name; d++)
        if (d->config && strcmp(d->name, name) == 0)
            return d;
    return NULL;
}

enum option_layer options_layer(const struct options *o, const char *name)
{
    const int i = command_option_find(command_named(o->command), name, 0);
    return i < 0 ? LAYER_DEFAULT : (enum option_layer)o->layer[i];
}

const char *command_status(const struct command *c, const struct exit_row *e)
{
    for (const struct exit_row *own = c->exits; own && (own->code || own->text); own++)
        if (own->code == e->code)
            return own->text ? own->text : e->text;
    return !*c->name || e->who == EXIT_OF_ALL || (e->who == EXIT_OF_STARTERS && c->starts) ? e->text
                                                                                           : NULL;
}
