/* raw: completions, from our own tables. */
/* Completions of bash, zsh and fish. Help sentences hold no single quotes; a test sees to it. */
#include "cli/options/generate.h"

#include <string.h>

#include "cli/options/command.h"

static void command_names(FILE *out, const char *sep)
{
    const char *s = "";
    for (const struct command *c = commands; c->name; c++) {
        if (!*c->name)
            continue;
        fprintf(out, "%s%s", s, c->name);
        s = sep;
    }
}

/* --- bash --- */

static void bash_case(FILE *out, const struct option_def *d)
{
    char choices[256];
    static const struct {
        char kind;
        const char *action;
    } actions[] = {
        {'f', "COMPREPLY=($(compgen -f -- \"$cur\"))"},
        {'d', "COMPREPLY=($(compgen -d -- \"$cur\"))"},
        {'p', "COMPREPLY=($(compgen -W \"$(ps -eo pid=)\" -- \"$cur\"))"},
    };
    if (d->type == OPTION_FLAG)
        return;
    fprintf(out, "    --%s", d->name);
    if (d->letter)
        fprintf(out, "|-%c", d->letter);
    fprintf(out, ") ");
    char kind = generate_completion_kind(d);
    if (kind == 'c')
        fprintf(out, "COMPREPLY=($(compgen -W '%s' -- \"$cur\"))",
                generate_choices(d, " ", choices, sizeof choices));
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (actions[i].kind == kind)
            fputs(actions[i].action, out);
    fputs(kind ? "; return ;;\n" : "return ;;\n", out);
}

void generate_bash(FILE *out)
{
    fputs("# bash completion of rooftop\n"
          "_rooftop() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i\n"
          "    if [[ $cur == = ]]; then cur=; fi\n"
          "    if [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
          "            if declare -F _command_offset >/dev/null; then _command_offset $((i + 1))\n"
          "            else COMPREPLY=($(compgen -c -f -- \"$cur\")); fi\n"
          "            return\n"
          "        fi\n"
          "    done\n"
          "    case $prev in\n",
          out);
    for (const struct option_def *d = option_table; d->name; d++)
        bash_case(out, d);
    fputs("    esac\n    COMPREPLY=($(compgen -W '", out);
    command_names(out, " ");
    for (const struct option_def *d = option_table; d->name; d++) {
        fprintf(out, " --%s", d->name);
        if (d->letter)
            fprintf(out, " -%c", d->letter);
    }
    fputs(" --' -- \"$cur\"))\n}\ncomplete -F _rooftop rooftop\n", out);
}

/* --- zsh --- */

/* Help inside an _arguments spec: brackets and colons have a meaning there. */
static void zsh_text(FILE *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (strchr("[]:\\", *p))
            fputc('\\', out);
        fputc(*p, out);
    }
}

static void zsh_argument(FILE *out, const struct option_def *d)
{
    char choices[256];
    fputc(':', out);
    zsh_text(out, d->arg);
    fputc(':', out);
    switch (generate_completion_kind(d)) {
    case 'c':
        fprintf(out, "(%s)", generate_choices(d, " ", choices, sizeof choices));
        break;
    case 'f':
        fputs("_files", out);
        break;
    case 'd':
        fputs("_files -/", out);
        break;
    case 'p':
        fputs("_pids", out);
        break;
    default:
        fputc(' ', out);
    }
}

void generate_zsh(FILE *out)
{
    fputs("#compdef rooftop\n_arguments -s -S \\\n", out);
    for (const struct option_def *d = option_table; d->name; d++) {
        if (d->letter)
            fprintf(out, "  '(-%c --%s)'{-%c%s,--%s%s}'[", d->letter, d->name, d->letter,
                    d->arg ? "+" : "", d->name, d->arg ? "=" : "");
        else
            fprintf(out, "  '--%s%s[", d->name, d->arg ? "=" : "");
        zsh_text(out, d->help);
        fputc(']', out);
        if (d->arg)
            zsh_argument(out, d);
        fputs("' \\\n", out);
    }
    fputs("  '1:command:(", out);
    command_names(out, " ");
    fputs(")' \\\n  '*:: :_normal'\n", out);
}

/* --- fish --- */

void generate_fish(FILE *out)
{
    char choices[256];
    fputs("# fish completion of rooftop\ncomplete -c rooftop -f\n", out);
    for (const struct command *c = commands; c->name; c++)
        if (*c->name)
            fprintf(out, "complete -c rooftop -n __fish_use_subcommand -a %s -d '%s'\n", c->name,
                    c->summary);
    for (const struct option_def *d = option_table; d->name; d++) {
        fprintf(out, "complete -c rooftop -l %s", d->name);
        if (d->letter)
            fprintf(out, " -s %c", d->letter);
        switch (generate_completion_kind(d)) {
        case 'c':
            fprintf(out, " -x -a '%s'", generate_choices(d, " ", choices, sizeof choices));
            break;
        case 'f':
            fputs(" -r -F", out);
            break;
        case 'd':
            fputs(" -x -a '(__fish_complete_directories)'", out);
            break;
        case 'p':
            fputs(" -x -a '(__fish_complete_pids)'", out);
            break;
        default:
            fputs(d->arg ? " -x" : "", out);
        }
        fprintf(out, " -d '%s'\n", d->help);
    }
}
