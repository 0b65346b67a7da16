/* raw: help, from our own tables. */
#include "cli/options/generate.h"

#include <errno.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "export/metric_doc.h"

static void generate_metrics(FILE *out)
{
    metric_document(out); /* a write error stays set in out, where the caller finds it */
}

static const struct {
    const char *what;
    void (*make)(FILE *out);
} forms[] = {
    {"man", generate_man},         {"bash", generate_bash},
    {"zsh", generate_zsh},         {"fish", generate_fish},
    {"metrics", generate_metrics}, {"config-schema", generate_config_schema},
};

int options_generate(FILE *out, const char *what)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(forms[i].what, what) != 0)
            continue;
        forms[i].make(out);
        return ferror(out) ? -EIO : 0;
    }
    return -EINVAL;
}

const char *generate_usage(const struct option_def *d, char *out, size_t size)
{
    char letter[8] = "    ";
    if (d->letter)
        snprintf(letter, sizeof letter, "-%c, ", d->letter);
    snprintf(out, size, "%s--%s%s%s%s%s", letter, d->name, d->arg ? " " : "", d->alone ? "[" : "",
             d->arg ? d->arg : "", d->alone ? "]" : "");
    return out;
}

char generate_completion_kind(const struct option_def *d)
{
    char buf[32];
    if (d->type == OPTION_FLAG)
        return 0;
    if (option_choice(d, 0, buf, sizeof buf))
        return 'c';
    if (strcmp(d->name, "cgroup") == 0)
        return 'd';
    if (strcmp(d->name, "pid") == 0)
        return 'p';
    bool file = strcmp(d->arg, "FILE") == 0 || strcmp(d->name, "theme") == 0;
    return file ? 'f' : 0;
}

const char *generate_choices(const struct option_def *d, const char *sep, char *out, size_t size)
{
    char buf[32];
    const char *name;
    size_t n = 0;
    *out = 0;
    for (size_t i = 0; n < size && (name = option_choice(d, i, buf, sizeof buf)); i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? sep : "", name);
    return out;
}

/* --- --help --- */

enum { HELP_COLUMN = 30, HELP_WIDTH = 79 };

/* Prints text folded at words; lines after the first are indented. */
static void print_folded(FILE *out, const char *text, int column)
{
    int x = column;
    for (const char *p = text; *p;) {
        int n = (int)strcspn(p, " ");
        if (x > column && x + 1 + n > HELP_WIDTH) {
            fprintf(out, "\n%*s", column, "");
            x = column;
        } else if (x > column) {
            fputc(' ', out);
            x++;
        }
        fwrite(p, 1, (size_t)n, out);
        x += n;
        p += n + (p[n] == ' ');
    }
    fputc('\n', out);
}

static void help_option(FILE *out, const struct option_def *d)
{
    char usage[96], choices[256], text[640];
    int n = fprintf(out, "  %s", generate_usage(d, usage, sizeof usage));
    if (n >= HELP_COLUMN)
        n = fprintf(out, "\n") - 1;
    fprintf(out, "%*s", HELP_COLUMN - n, "");
    generate_choices(d, ", ", choices, sizeof choices);
    snprintf(text, sizeof text, "%s%s%s%s%s%s", d->help, *choices ? ": " : "", choices,
             d->fallback ? " [" : "", d->fallback ? d->fallback : "", d->fallback ? "]" : "");
    print_folded(out, text, HELP_COLUMN);
}

/* Prints the commands: all, or the sub-commands of one ("replay"). */
static void help_commands(FILE *out, const struct command *parent)
{
    const char *heading = "\nCommands\n";
    for (size_t i = 1; commands[i]; i++) {
        if (*parent->name && !command_is_below(commands[i], parent))
            continue;
        fprintf(out, "%s  %-*s", heading, HELP_COLUMN - 2, commands[i]->name);
        print_folded(out, commands[i]->summary, HELP_COLUMN);
        heading = "";
    }
}

static const char *option_section(const struct option_def *d)
{
    return d->section ? d->section : "Options";
}

/* Whether one of the first n options of the command is in this section. */
static bool section_among(const struct command *c, size_t n, const char *section)
{
    for (size_t i = 0; i < n; i++) {
        struct option_def d = command_option(c, i);
        if (strcmp(option_section(&d), section) == 0)
            return true;
    }
    return false;
}

/* Each section once, in the order in which the command names their first options. */
static void help_options(FILE *out, const struct command *c)
{
    struct option_def first, d;
    for (size_t i = 0; (first = command_option(c, i)).name; i++) {
        if (section_among(c, i, option_section(&first)))
            continue;
        fprintf(out, "\n%s\n", option_section(&first));
        for (size_t k = i; (d = command_option(c, k)).name; k++)
            if (strcmp(option_section(&d), option_section(&first)) == 0)
                help_option(out, &d);
    }
}

static void help_examples(FILE *out, const struct command *c)
{
    fprintf(out, "\nExamples\n");
    for (const struct command_example *e = c->examples; e->line; e++)
        fprintf(out, "  %s\n      %s\n", e->line, e->text);
}

static void help_exit(FILE *out, const struct command *c)
{
    enum { COLUMN = 7 };
    fprintf(out, "\nExit status\n");
    if (c->starts)
        fprintf(
            out,
            "  of the command that was watched to its end: its own, or 128 + its signal; else\n");
    for (const struct exit_row *e = exit_table; e->text; e++) {
        const char *text = command_status(c, e);
        if (!text)
            continue;
        fprintf(out, "  %-*d", COLUMN - 2, e->code);
        print_folded(out, text, COLUMN);
    }
}

void options_help(FILE *out, const char *command)
{
    const struct command *c = command_named(command);
    if (!c)
        return;
    fprintf(out, "usage: %s\n\n%s%s\n", c->usage, *command ? "" : "rooftop: ", c->summary);
    if (!*command || !c->run)
        help_commands(out, c);
    help_options(out, c);
    help_examples(out, c);
    help_exit(out, c);
    fprintf(out, *command ? "\nman rooftop tells the rest.\n"
                          : "\nrooftop COMMAND --help is about one command. Keys are shown by ? in "
                            "the\ndashboard; man rooftop tells the rest.\n");
}
