/* raw: help, from our own tables. */
#include "cli/options/generate.h"

#include <errno.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "export/metric_doc.h"
#include "tui/canvas/theme.h"

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

/* "man-report": the page about one noun. */
static int generate_page(FILE *out, const char *what)
{
    static const char page[] = "man-";
    const bool is = strncmp(what, page, sizeof page - 1) == 0;
    const struct command *noun = is ? command_typed(what + sizeof page - 1) : NULL;
    if (!noun || !command_is_noun(noun))
        return -EINVAL;
    generate_man_noun(out, noun);
    return ferror(out) ? -EIO : 0;
}

int options_generate(FILE *out, const char *what)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(forms[i].what, what) != 0)
            continue;
        forms[i].make(out);
        return ferror(out) ? -EIO : 0;
    }
    return generate_page(out, what);
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

static bool is_theme(const struct option_def *d)
{
    return strcmp(d->name, "theme") == 0;
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
    if (is_theme(d))
        return 't';
    if (strcmp(d->arg, "DIR") == 0 || strcmp(d->arg, "FOLDER") == 0)
        return 'd';
    static const char *const files[] = {"FILE", "DATABASE", "SESSION"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(d->arg, files[i]) == 0)
            return 'f';
    return 0;
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

const char *generate_words(const struct option_def *d, char *out, size_t size)
{
    size_t n = 0;
    if (!is_theme(d))
        return generate_choices(d, " ", out, size);
    *out = 0;
    for (size_t i = 0; n < size && theme_builtin(i); i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? " " : "", theme_builtin(i));
    return out;
}

/* --- --help --- */

enum { HELP_COLUMN = 30, HELP_WIDTH = 79, USAGE_COLUMN = 7 };

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

static void help_command(FILE *out, const struct command *c)
{
    const int n = fprintf(out, "  %-*s", HELP_COLUMN - 2, command_words(c));
    fprintf(out, "%s", n > HELP_COLUMN ? "  " : "");
    print_folded(out, c->summary, HELP_COLUMN);
}

/* Prints the commands below one, or, of the program itself, all: each noun with what is below. */
static void help_commands(FILE *out, const struct command *parent)
{
    const bool all = !*parent->name;
    const char *heading = "\nCommands\n";
    if (all)
        fputs(heading, out);
    for (size_t i = 1; commands[i]; i++) {
        const struct command *c = commands[i];
        if (all ? !command_is_noun(c) : !command_is_below(c, parent))
            continue;
        if (!all || !*heading)
            fputs(all ? "\n" : heading, out);
        heading = "";
        help_command(out, c);
        for (size_t k = 1; all && commands[k]; k++)
            if (command_is_below(commands[k], c))
                help_command(out, commands[k]);
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
    fputs("usage: ", out);
    print_folded(out, c->usage, USAGE_COLUMN);
    fprintf(out, "\n%s%s\n", *command ? "" : "rooftop: ", c->summary);
    help_commands(out, c);
    help_options(out, c);
    help_examples(out, c);
    help_exit(out, c);
    fputs(*command ? "\nman rooftop tells the rest.\n"
                   : "\nrooftop help NOUN is about one of them. Keys are shown by ? in the "
                     "dashboard; man\nrooftop-NOUN and man rooftop tell the rest.\n",
          out);
}
