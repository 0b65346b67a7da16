/* raw: help, from our own tables. */
#include "cli/options/generate.h"

#include <errno.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "engine/live/metric.h"

static void generate_metrics(FILE *out)
{
    metric_document(out); /* a failed write stays noted in out */
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
    snprintf(out, size, "%s--%s%s%s", letter, d->name, d->arg ? " " : "", d->arg ? d->arg : "");
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

/* Text folded at words, its lines after the first indented. */
static void fold(FILE *out, const char *text, int column)
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
    fold(out, text, HELP_COLUMN);
}

/* One table for all commands; the manual has the same. */
static void help_exit(FILE *out)
{
    enum { COLUMN = 7 };
    fprintf(out, "\nExit status\n");
    fprintf(out,
            "  of the command that was watched to its end: its own, or 128 + its signal; else\n");
    for (const struct exit_row *e = exit_table; e->text; e++) {
        fprintf(out, "  %-*d", COLUMN - 2, e->code);
        fold(out, e->text, COLUMN);
    }
}

void options_help(FILE *out, const char *command)
{
    const struct command *c = commands;
    while (c->name && strcmp(c->name, command) != 0)
        c++;
    if (!c->name)
        return;
    fprintf(out, "usage: %s\n\n%s%s\n", c->usage, *command ? "" : "rooftop: ", c->summary);
    if (!*command) {
        fprintf(out, "\nCommands\n");
        for (const struct command *i = commands; i->name; i++)
            if (*i->name)
                fprintf(out, "  %-*s%s\n", HELP_COLUMN - 2, i->name, i->summary);
    }
    const char *section = NULL, *printed = NULL;
    for (const struct option_def *d = option_table; d->name; d++) {
        section = d->section ? d->section : section;
        if (!option_in_command(d, command))
            continue;
        if (section != printed)
            fprintf(out, "\n%s\n", section);
        printed = section;
        help_option(out, d);
    }
    if (*command) {
        fprintf(out, "\nrooftop --help lists the exit statuses; man rooftop tells the rest.\n");
        return;
    }
    help_exit(out);
    fprintf(out, "\nKeys are shown by ? in the dashboard; man rooftop tells the rest.\n");
}
