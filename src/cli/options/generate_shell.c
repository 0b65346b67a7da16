/* raw: completions, from our own tables. */
/* Completions for bash, zsh and fish with each command's own options. Help sentences contain no
 * single quotes; a test checks that. */
#include "cli/options/generate.h"

#include <string.h>

#include "cli/options/command.h"

/* Whether the word after parent's own words completes c: any noun after "rooftop" and "help". */
static bool word_follows(const struct command *c, const struct command *parent)
{
    if (!*parent->name || parent == &command_help)
        return command_is_noun(c);
    return command_is_below(c, parent) &&
           !strchr(command_words(c) + strlen(command_words(parent)) + 1, ' ');
}

static const char *last_word_of(const struct command *c)
{
    const char *blank = strrchr(command_words(c), ' ');
    return blank ? blank + 1 : command_words(c);
}

/* Prints the words that may follow a command. Returns how many. */
static size_t words_below(FILE *out, const struct command *parent)
{
    size_t n = 0;
    for (size_t i = 1; commands[i]; i++)
        if (word_follows(commands[i], parent) && ++n)
            fprintf(out, " %s", last_word_of(commands[i]));
    return n;
}

/* --- bash --- */

static void bash_case(FILE *out, const struct option_def *d)
{
    char choices[512];
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
    fprintf(out, "        --%s", d->name);
    if (d->letter)
        fprintf(out, "|-%c", d->letter);
    fprintf(out, ") ");
    char kind = generate_completion_kind(d);
    if (kind == 'c' || kind == 't')
        fprintf(out, "COMPREPLY=($(compgen%s -W '%s' -- \"$cur\"))", kind == 't' ? " -f" : "",
                generate_words(d, choices, sizeof choices));
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (actions[i].kind == kind)
            fputs(actions[i].action, out);
    fputs(kind ? "; return ;;\n" : "return ;;\n", out);
}

static void bash_command(FILE *out, const struct command *c)
{
    struct option_def d;
    fprintf(out, "    '%s')\n        case $prev in\n", command_words(c));
    for (size_t i = 0; (d = command_option(c, i)).name; i++)
        bash_case(out, &d);
    fputs("        esac\n        words='", out);
    for (size_t i = 0; (d = command_option(c, i)).name; i++) {
        fprintf(out, "%s--%s", i ? " " : "", d.name);
        if (d.letter)
            fprintf(out, " -%c", d.letter);
    }
    words_below(out, c);
    fprintf(out, "%s'%s ;;\n", c->starts ? " --" : "", c->files ? "; files=1" : "");
}

/* Prints "'report'|'report kernels'|...". */
static void shell_names(FILE *out, const char *sep)
{
    const char *before = "";
    for (size_t i = 1; commands[i]; i++) {
        if (!command_is_listed(commands[i]))
            continue;
        fprintf(out, "%s'%s'", before, command_words(commands[i]));
        before = sep;
    }
}

void generate_bash(FILE *out)
{
    fputs("# bash completion of rooftop\n"
          "_rooftop() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i word\n"
          "    local command= words= files=\n"
          "    if [[ $cur == = ]]; then cur=; fi\n"
          "    if [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        word=${COMP_WORDS[i]}\n"
          "        if [[ $word == -- ]]; then\n"
          "            if declare -F _command_offset >/dev/null; then _command_offset $((i + 1))\n"
          "            else COMPREPLY=($(compgen -c -f -- \"$cur\")); fi\n"
          "            return\n"
          "        fi\n"
          "        if [[ $command == help ]]; then command=; fi\n"
          "        word=\"${command:+$command }$word\"\n"
          "        case $word in ",
          out);
    shell_names(out, "|");
    fputs(") command=$word ;; esac\n    done\n    case $command in\n", out);
    for (size_t i = 0; commands[i]; i++)
        if (command_is_listed(commands[i]))
            bash_command(out, commands[i]);
    fputs("    esac\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "    if [[ $files && $cur != -* ]]; then COMPREPLY+=($(compgen -f -- \"$cur\")); fi\n"
          "}\ncomplete -F _rooftop rooftop rtop\n",
          out);
}

/* --- zsh --- */

/* Prints help in a spec of _arguments, where brackets and colons must be escaped. */
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
    char choices[512];
    fputc(':', out);
    zsh_text(out, d->arg);
    fputc(':', out);
    switch (generate_completion_kind(d)) {
    case 'c':
        fprintf(out, "(%s)", generate_choices(d, " ", choices, sizeof choices));
        break;
    case 't':
        fprintf(out, "{compadd %s; _files}", generate_words(d, choices, sizeof choices));
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

static void zsh_option(FILE *out, const struct option_def *d)
{
    if (d->letter)
        fprintf(out, "    '(-%c --%s)'{-%c%s,--%s%s}'[", d->letter, d->name, d->letter,
                d->arg ? "+" : "", d->name, d->arg ? "=" : "");
    else
        fprintf(out, "    '--%s%s[", d->name, d->arg ? "=" : "");
    zsh_text(out, d->help);
    fputc(']', out);
    if (d->arg)
        zsh_argument(out, d);
    fputs("' \\\n", out);
}

static void zsh_command(FILE *out, const struct command *c)
{
    struct option_def d;
    fprintf(out, "  '%s') _arguments -s -S \\\n", command_words(c));
    for (size_t i = 0; (d = command_option(c, i)).name; i++)
        zsh_option(out, &d);
    fprintf(out, "    '*:%s _rooftop_%s %s",
            c->starts ? ": :" : "word:", c->starts ? "rest" : "words",
            c->files ? "_files" : "true");
    words_below(out, c);
    fputs("' ;;\n", out);
}

/* The words of the command are removed, so that its first argument has number 1 again. */
void generate_zsh(FILE *out)
{
    fputs("#compdef rooftop rtop\n"
          "_rooftop_words() { (( $# > 1 )) && compadd -- \"${@:2}\"; $1 }\n"
          "_rooftop_rest() { if (( ${words[(I)--]} )); then _normal; else _rooftop_words \"$@\"; "
          "fi }\n"
          "_rooftop() {\n"
          "  local command= i word\n"
          "  for ((i = 2; i < CURRENT; i++)); do\n"
          "    word=$words[i]\n"
          "    [[ $word == -- ]] && { shift $i words; (( CURRENT -= i )); _normal; return }\n"
          "    [[ $command == help ]] && command=\n"
          "    case \"${command:+$command }$word\" in\n"
          "    ",
          out);
    shell_names(out, "|");
    fputs(") command=\"${command:+$command }$word\"; words[i]=(); (( CURRENT--, i-- )) ;;\n"
          "    esac\n  done\n  case $command in\n",
          out);
    for (size_t i = 0; commands[i]; i++)
        if (command_is_listed(commands[i]))
            zsh_command(out, commands[i]);
    fputs("  esac\n}\n_rooftop \"$@\"\n", out);
}

/* --- fish --- */

static void fish_option(FILE *out, const struct command *c, const struct option_def *d)
{
    char choices[512];
    fprintf(out, "complete -c rooftop -n '__rooftop_in \"%s\"' -l %s", command_words(c), d->name);
    if (d->letter)
        fprintf(out, " -s %c", d->letter);
    switch (generate_completion_kind(d)) {
    case 'c':
        fprintf(out, " -x -a '%s'", generate_choices(d, " ", choices, sizeof choices));
        break;
    case 't':
        fprintf(out, " -r -F -a '%s'", generate_words(d, choices, sizeof choices));
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

void generate_fish(FILE *out)
{
    struct option_def d;
    fputs("# fish completion of rooftop\n"
          "function __rooftop_in\n"
          "    set -l command ''\n"
          "    for word in (commandline -opc)[2..-1]\n"
          "        test \"$command\" = help; and set command ''\n"
          "        set -l longer (string trim -- \"$command $word\")\n"
          "        contains -- $longer ",
          out);
    shell_names(out, " ");
    fputs("; and set command $longer\n"
          "    end\n"
          "    test \"$command\" = \"$argv[1]\"\n"
          "end\n",
          out);
    for (size_t i = 0; commands[i]; i++)
        if (command_is_listed(commands[i]) && !commands[i]->files)
            fprintf(out, "complete -c rooftop -n '__rooftop_in \"%s\"' -f\n",
                    command_words(commands[i]));
    for (size_t i = 0; commands[i]; i++)
        for (size_t k = 1; commands[k]; k++)
            if (command_is_listed(commands[i]) && word_follows(commands[k], commands[i]))
                fprintf(out, "complete -c rooftop -n '__rooftop_in \"%s\"' -a %s -d '%s'\n",
                        command_words(commands[i]), last_word_of(commands[k]),
                        commands[k]->summary);
    for (size_t i = 0; commands[i]; i++)
        for (size_t k = 0;
             command_is_listed(commands[i]) && (d = command_option(commands[i], k)).name; k++)
            fish_option(out, commands[i], &d);
}
