/* The manual page rooftop(1), made from the tables (raw: they are ours). */
#include "cli/options/generate.h"

#include <ctype.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/options/version.h"
#include "tui/app/commands.h"
#include "tui/input/keys.h"
#include "tui/model/view.h"

/* Prints text so that roff takes no backslash, hyphen or leading dot of it for a command. */
static void print_roff(FILE *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '\\')
            fputs("\\e", out);
        else if (*p == '-')
            fputs("\\-", out);
        else if (*p == '\'')
            fputs("\\(aq", out);
        else if (*p == '^')
            fputs("\\(ha", out);
        else if (*p == '~')
            fputs("\\(ti", out);
        else if (*p == '`')
            fputs("\\(ga", out);
        else if (*p == '.' && p == text)
            fputs("\\&.", out);
        else
            fputc(*p, out);
    }
}

static void macro_line(FILE *out, const char *macro, const char *text)
{
    fprintf(out, "%s ", macro);
    print_roff(out, text);
    fputc('\n', out);
}

static void print_roff_paragraph(FILE *out, const char *text)
{
    fputs(".PP\n", out);
    print_roff(out, text);
    fputc('\n', out);
}

/* Prints a tagged paragraph: the tag in bold, then the text. */
static void print_roff_tagged(FILE *out, const char *tag, const char *text)
{
    fputs(".TP\n.B ", out);
    print_roff(out, tag);
    fputc('\n', out);
    print_roff(out, text);
    fputc('\n', out);
}

/* Prints the title, and the sentence that whatis and apropos show. also: ", " and other names. */
static void page_head(FILE *out, const char *name, const char *also, const char *what)
{
    char title[64];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof title; n++)
        title[n] = (char)toupper((unsigned char)name[n]);
    title[n] = '\0';
    /* Without a date, the page is the same whenever it is made. */
    fprintf(out, ".TH %s 1 \"\" \"rooftop %s\" \"User Commands\"\n.SH NAME\n", title,
            ROOFTOP_VERSION);
    print_roff(out, name);
    print_roff(out, also);
    fputs(" \\- ", out);
    print_roff(out, what);
    fputs("\n.SH SYNOPSIS\n", out);
}

static void print_synopsis(FILE *out, const struct command *c)
{
    macro_line(out, ".B", c->usage);
}

static void section_head(FILE *out)
{
    page_head(out, "rooftop", ", rtop",
              "live counters of a machine and its programs, in the terminal");
    for (size_t i = 0; commands[i]; i++) {
        if (!command_is_listed(commands[i]))
            continue;
        if (i)
            fputs(".br\n", out);
        print_synopsis(out, commands[i]);
    }
    fputs(".SH DESCRIPTION\n", out);
    print_roff(out,
               "rooftop shows what this machine, a command, some processes or a cgroup are really "
               "doing: hardware and software event counts, metrics derived from them, CPUs, memory "
               "and processes.");
    fputc('\n', out);
    print_roff_paragraph(
        out, "Every number was measured. What could not be measured is shown as n/a, and the "
             "key i tells why, and which right or setting would give it. A count that was "
             "scaled, because its group was on the PMU for a part of the time only, shows "
             "its share.");
    print_roff_paragraph(
        out, "rtop is the same program by a shorter name. A noun may be cut where no other noun "
             "begins so and no file has that name: rtop co OLD NEW is rooftop compare OLD NEW.");
    print_roff_paragraph(out,
                         "Without a terminal on standard output, one snapshot is printed as with "
                         "--headless.");
}

/* --- commands and options --- */

static void print_roff_option(FILE *out, const struct option_def *d)
{
    char usage[96], choices[256];
    fputs(".TP\n.B ", out);
    generate_usage(d, usage, sizeof usage);
    print_roff(out, usage + strspn(usage, " "));
    fputc('\n', out);
    print_roff(out, d->help);
    if (*generate_choices(d, ", ", choices, sizeof choices)) {
        fputs(": ", out);
        print_roff(out, choices);
    }
    fputs(".\n", out);
    if (d->fallback) {
        fputs("Default: ", out);
        print_roff(out, d->fallback);
        fputs(".\n", out);
    }
}

/* Whether the command takes a shared option exactly as the section OPTIONS describes it. */
static bool as_shared(const struct command_option *o)
{
    return option_is_shared(o->row) && !o->arg && !o->choices && !o->help;
}

/* Describes the command's own options in full; lists the others by name. */
static void command_options(FILE *out, const struct command *c)
{
    for (size_t i = 0; c->options[i].row; i++) {
        const struct option_def d = option_as_taken(&c->options[i]);
        if (!d.internal && !as_shared(&c->options[i]))
            print_roff_option(out, &d);
    }
    const char *sep = ".PP\nOptions told below: ";
    for (size_t i = 0; c->options[i].row; i++) {
        if (!as_shared(&c->options[i]))
            continue;
        fputs(sep, out);
        print_roff(out, "--");
        print_roff(out, c->options[i].row->name);
        sep = ", ";
    }
    fputs(".\n", out);
}

static void command_exits(FILE *out, const struct command *c)
{
    const char *sep = ".PP\nExit status: ";
    for (const struct exit_row *e = exit_table; e->text; e++) {
        const char *text = command_status(c, e);
        if (!text)
            continue;
        fprintf(out, "%s%d", sep, e->code);
        if (text != e->text) {
            fputs(" (", out);
            print_roff(out, text);
            fputc(')', out);
        }
        sep = ", ";
    }
    fputs(c->starts ? ", or that of the command that was watched.\n" : ".\n", out);
}

static void print_command(FILE *out, const struct command *c,
                          void (*options)(FILE *, const struct command *))
{
    fputs(".SS rooftop ", out);
    print_roff(out, command_words(c));
    fputc('\n', out);
    print_roff(out, c->summary);
    fputs(".\n", out);
    options(out, c);
    for (const struct command_example *e = c->examples; e->line; e++)
        print_roff_tagged(out, e->line, e->text);
    command_exits(out, c);
}

static void section_commands(FILE *out)
{
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; commands[i]; i++)
        if (command_is_listed(commands[i]))
            print_command(out, commands[i], command_options);
    print_roff_tagged(
        out, "-- COMMAND...",
        "Start the command and watch it and its descendants. In the dashboard its output is "
        "kept off the screen, shown by the key o and saved by W. Headless, what it writes to "
        "standard output goes to standard error, unless -o is given. When the watching ends "
        "before the command does, even killed, the command is sent SIGHUP; nohup COMMAND stays.");
}

static void section_options(FILE *out)
{
    const char *section = "";
    fputs(".SH OPTIONS\nOf several commands; what only one takes is told with it.\n", out);
    for (const struct option_def *d = shared_options; d->name; d++) {
        if (strcmp(section, d->section) != 0)
            macro_line(out, ".SS", d->section);
        section = d->section;
        print_roff_option(out, d);
    }
}

/* The keys of an action; of a view without its own: the digit of its tab. */
static const char *find_manual_keys(const struct action_info *a)
{
    for (int i = 0; views[i] && !a->keys[0]; i++)
        if (views[i]->select == a->action)
            return action_table[view_tabs[view_tab(i)].select].keys;
    return a->keys;
}

static void section_keys(FILE *out)
{
    fputs(".SH KEYS\n", out);
    for (int i = 0; i < ACTION_COUNT; i++) {
        const struct action_info *a = &action_table[i];
        if (!a->name || !a->keys)
            continue;
        char tag[128];
        size_t n = 0;
        for (const char *p = find_manual_keys(a); *p && n + 4 < sizeof tag; p++) {
            if (*p == ' ')
                tag[n++] = ',';
            tag[n++] = *p;
        }
        tag[n] = 0;
        fputs(".TP\n.B ", out);
        print_roff(out, n ? tag : "click");
        fputc('\n', out);
        print_roff(out, a->help);
        fputs(" (", out);
        print_roff(out, a->name);
        fputs(")\n", out);
    }
}

static void section_command_line(FILE *out)
{
    fputs(".SH COMMAND LINE\nTyped after a colon, or given with\n.BR \\-\\-run ;\nevery action "
          "above is "
          "one "
          "too, by its name. Several are separated by semicolons.\n",
          out);
    for (const struct palette_command *k = command_table; k->name; k++) {
        fputs(".TP\n.B ", out);
        print_roff(out, k->name);
        fputs(" \\fI", out);
        print_roff(out, k->args);
        fputs("\\fR\n", out);
        print_roff(out, k->help);
        fputc('\n', out);
    }
}

static void section_exit(FILE *out)
{
    fputs(".SH EXIT STATUS\nWhere a command was watched to its end, its own status, or 128 plus "
          "the number of the signal that ended it; 0 where the dashboard was left before that, "
          "which ends it. "
          "Otherwise:\n",
          out);
    for (const struct exit_row *e = exit_table; e->text; e++) {
        char code[16];
        snprintf(code, sizeof code, "%d", e->code);
        print_roff_tagged(out, code, e->text);
    }
}

static void section_config(FILE *out)
{
    fputs(".SH CONFIGURATION\n", out);
    print_roff(out,
               "The file is TOML; its keys are long options, for instance interval = 0.5 or "
               "theme = \"rooftop-light\". A relative metrics file is looked for beside it. An "
               "unknown key or a bad value is an error. The keys:");
    fputc('\n', out);
    const char *sep = "";
    for (const struct option_def *d = shared_options; d->name; d++) {
        if (!d->config)
            continue;
        fputs(sep, out);
        print_roff(out, d->name);
        sep = ", ";
    }
    fputs(".\n.SH ENVIRONMENT\n", out);
    for (const struct option_def *d = shared_options; d->name; d++) {
        char name[64] = "ROOFTOP_", text[96];
        size_t n = strlen(name);
        if (!d->config && strcmp(d->name, "config") != 0)
            continue;
        for (const char *p = d->name; *p && n + 1 < sizeof name; p++)
            name[n++] = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
        name[n] = 0;
        snprintf(text, sizeof text, "as --%s; the command line wins, the configuration loses",
                 d->name);
        print_roff_tagged(out, name, text);
    }
    print_roff_tagged(out, "ROOFTOP_HISTORY",
                      "the history of benchmarks where --db is not given: a file, or "
                      "postgresql://HOST/DATABASE");
    print_roff_tagged(out, "NO_COLOR", "where set and not empty, no colours");
    print_roff_tagged(out, "TERM, COLORTERM", "what the terminal can do");
    print_roff_tagged(out, "XDG_CONFIG_HOME", "where configuration is looked for; else ~/.config");
}

static void section_files(FILE *out)
{
    fputs(".SH FILES\n", out);
    print_roff_tagged(out, "~/.config/rooftop/config.toml",
                      "the configuration; only ^S and :save write it");
    print_roff_tagged(out, "~/.config/rooftop/themes/", "themes of your own, in btop's format");
    print_roff_tagged(out, "/proc/sys/kernel/perf_event_paranoid",
                      "what the kernel lets users count; rooftop doctor tells what it means here");
}

void generate_man(FILE *out)
{
    section_head(out);
    section_commands(out);
    section_options(out);
    section_keys(out);
    section_command_line(out);
    section_config(out);
    section_exit(out);
    section_files(out);
    fputs(".SH SEE ALSO\n", out);
    for (size_t i = 1; commands[i]; i++)
        if (command_is_noun(commands[i]))
            fprintf(out, ".BR rooftop\\-%s (1),\n", command_words(commands[i]));
    fputs(".BR perf (1),\n.BR perf_event_open (2),\n.BR proc (5)\n", out);
}

/* --- the page about one noun --- */

static void all_options(FILE *out, const struct command *c)
{
    struct option_def d;
    for (size_t i = 0; (d = command_option(c, i)).name; i++)
        print_roff_option(out, &d);
}

void generate_man_noun(FILE *out, const struct command *noun)
{
    char name[64];
    snprintf(name, sizeof name, "rooftop-%s", command_words(noun));
    page_head(out, name, "", noun->summary);
    print_synopsis(out, noun);
    for (size_t i = 1; commands[i]; i++)
        if (command_is_below(commands[i], noun)) {
            fputs(".br\n", out);
            print_synopsis(out, commands[i]);
        }
    fputs(".SH COMMANDS\n", out);
    print_command(out, noun, all_options);
    for (size_t i = 1; commands[i]; i++)
        if (command_is_below(commands[i], noun))
            print_command(out, commands[i], all_options);
    section_exit(out);
    fputs(".SH SEE ALSO\n.BR rooftop (1)\n", out);
}
