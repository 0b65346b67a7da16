#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/options/generate.h"
#include "cli/options/options.h"
#include "support/program.h"
#include "support/skip.h"
#include "tui/input/keys.h"
#include "support/test.h"

static char *generated(const char *what)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    assert_int_equal(options_generate(f, what), 0);
    fclose(f);
    assert_true(len > 100);
    return text;
}

/* undoes roff's escapes of '-', so that names can be found in the text */
static void plain(char *text)
{
    char *o = text;
    for (const char *p = text; *p; p++)
        if (*p != '\\' || p[1] != '-')
            *o++ = *p;
    *o = 0;
}

/* --- help, manual and completions agree with the parser --- */

/* Whether the text has every option of every command. */
static void expect_every_option(const char *text, const char *prefix)
{
    struct option_def d;
    for (size_t i = 0; commands[i]; i++)
        for (size_t k = 0; (d = command_option(commands[i], k)).name; k++) {
            char word[64];
            snprintf(word, sizeof word, "%s%s", prefix, d.name);
            if (!strstr(text, word))
                fail_msg("%s is not mentioned", word);
        }
}

static char *help_of(const char *command)
{
    /* static, because gcc 12 takes what is found in it for a pointer to this variable */
    static char *text;
    static size_t len;
    FILE *f = open_memstream(&text, &len);
    options_help(f, command);
    fclose(f);
    return text;
}

/* The length of the "--name" at p; 0 if there is none. */
static size_t option_at(const char *p)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    if (strncmp(p, "--", 2) != 0 || !strchr(letters, p[2]) || p[2] == '-')
        return 0;
    return 2 + strspn(p + 2, letters);
}

static bool takes(const struct command *c, const char *word, size_t n)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)n - 2, word + 2);
    return command_option_find(c, name, 0) >= 0;
}

/* Options of other programs, and options in sentences about rooftop itself. */
static bool of_others(const char *text, const char *p)
{
    return (p - text >= 5 && strncmp(p - 5, "--att", 5) == 0) || strncmp(p, "--att:", 6) == 0 ||
           strncmp(p, "--att of", 8) == 0 || strncmp(p, "--genco", 7) == 0 ||
           strncmp(p, "--offload-arch", 14) == 0;
}

/* Everything that looks like an option in a command's help is an option that the command takes, or
 * belongs to an example. */
TEST(help_names_only_what_it_takes)
{
    for (size_t i = 0; commands[i]; i++) {
        const struct command *c = commands[i];
        char *text = help_of(c->name);
        struct option_def d;
        for (const char *p = text; *p; p++) {
            const size_t n = p == text || strchr(" [(", p[-1]) ? option_at(p) : 0;
            const char *line = p;
            while (line > text && line[-1] != '\n')
                line--;
            const bool watched = strncmp(line, "  rooftop", 9) == 0 && strstr(line, " -- ") &&
                                 strstr(line, " -- ") < p; /* an option of the watched command */
            if (n && !watched && !takes(c, p, n) && !of_others(text, p) &&
                strncmp(p, "--usdt of rooftop", 17) != 0)
                fail_msg("the help of '%s' names %.*s, which it does not take", c->name, (int)n, p);
        }
        for (size_t k = 0; (d = command_option(c, k)).name; k++) {
            char word[96];
            snprintf(word, sizeof word, "--%s%s%s%s%s", d.name, d.arg ? " " : "\n",
                     d.alone ? "[" : "", d.arg ? d.arg : "", d.alone ? "]" : "");
            if (!d.arg)
                word[strlen(word) - 1] = '\0';
            if (!strstr(text, word))
                fail_msg("the help of '%s' does not name %s", c->name, word);
        }
        free(text);
    }
}

TEST(lines_of_help_are_short)
{
    for (size_t i = 0; commands[i]; i++) {
        char *text = help_of(commands[i]->name);
        char *examples = strstr(text, "\nExamples\n");
        assert_non_null(examples);
        *examples = '\0'; /* examples may be longer */
        for (const char *p = strchr(text, '\n'); *p;
             p += strcspn(p, "\n") + (p[strcspn(p, "\n")] != '\0'))
            if (strcspn(p, "\n") > 100)
                fail_msg("too long in the help of '%s': %.120s", commands[i]->name, p);
        free(text);
    }
}

/* Splits a line like a shell, as far as examples need that. */
static int split(char *line, char **argv, int most)
{
    int n = 0;
    for (char *p = line; *p && n < most; n++) {
        char *out = argv[n] = p;
        bool quoted = false;
        for (; *p && (quoted || *p != ' '); p++) {
            if (*p == '\'')
                quoted = !quoted;
            else
                *out++ = *p;
        }
        p += *p == ' ';
        *out = '\0';
    }
    argv[n] = NULL;
    return n;
}

/* A section whose options the command names in two places is one section in its help. */
TEST(each_section_has_one_heading)
{
    struct option_def d;
    for (size_t i = 0; commands[i]; i++) {
        char *text = help_of(commands[i]->name);
        for (size_t k = 0; (d = command_option(commands[i], k)).name; k++) {
            char heading[96];
            snprintf(heading, sizeof heading, "\n\n%s\n", d.section ? d.section : "Options");
            const char *at = strstr(text, heading);
            if (!at || strstr(at + 1, heading))
                fail_msg("%s --help: the heading%s is there %s", commands[i]->name, heading,
                         at ? "twice" : "never");
        }
        free(text);
    }
}

/* The parser accepts each example as one of that command. */
TEST(examples_are_of_their_command)
{
    for (size_t i = 0; commands[i]; i++) {
        const struct command *c = commands[i];
        char *text = help_of(c->name);
        assert_non_null(c->examples[0].line);
        for (const struct command_example *e = c->examples; e->line; e++) {
            struct options o;
            struct error err = ERROR_INIT;
            char line[256], *argv[32];
            snprintf(line, sizeof line, "%s", e->line);
            if (options_parse(&o, split(line, argv, 31), argv, &err) != 0)
                fail_msg("%s: %s: %s", e->line, err.what, err.why);
            const struct command *is = command_named(o.command);
            if (is != c && !(c->run == NULL && command_is_below(is, c)))
                fail_msg("%s: an example of '%s', which the parser takes for '%s'", e->line,
                         c->name, o.command);
            options_free(&o);
            if (!strstr(text, e->line) || !strstr(text, e->text) || !*e->text)
                fail_msg("the help of '%s' lacks the example %s", c->name, e->line);
        }
        free(text);
    }
}

/* The parser accepts the options that a usage line names; the line begins with the command. */
TEST(usages_name_their_options)
{
    for (size_t i = 0; commands[i]; i++) {
        const struct command *c = commands[i];
        char begin[64];
        snprintf(begin, sizeof begin, "rooftop %s", command_words(c));
        if (command_is_listed(c))
            assert_int_equal(strncmp(c->usage, begin, strlen(begin)), 0);
        for (const char *p = c->usage; *p; p++) {
            const size_t n = option_at(p);
            if (n && !takes(c, p, n))
                fail_msg("the usage of '%s' names %.*s", c->name, (int)n, p);
            p += n ? n - 1 : 0;
        }
        assert_int_equal(c->starts, strstr(c->usage, "-- COMMAND") != NULL);
    }
}

TEST(help_lists_the_exit_statuses)
{
    for (size_t i = 0; commands[i]; i++) {
        const struct command *c = commands[i];
        char *text = help_of(c->name);
        const char *at = strstr(text, "\nExit status\n");
        assert_non_null(at);
        for (const struct exit_row *e = exit_table; e->text; e++) {
            char row[32];
            const char *why = command_status(c, e);
            snprintf(row, sizeof row, "\n  %-5d%.12s", e->code, why ? why : "");
            const char *found = strstr(at, row);
            if (why ? !found : found != NULL)
                fail_msg("'%s': status %d in\n%s", c->name, e->code, at);
            at = found ? found : at;
            if (e->code <= 3 || e->code == 7 || !*c->name)
                assert_non_null(why);
        }
        for (const struct exit_row *own = c->exits; own && (own->code || own->text); own++) {
            const struct exit_row *e = exit_table;
            while (e->text && e->code != own->code)
                e++;
            if (!e->text)
                fail_msg("'%s' has a status %d, which is in no table", c->name, own->code);
        }
        free(text);
    }
}

TEST(manual_mentions_everything)
{
    char *text = generated("man");
    plain(text);
    expect_every_option(text, "--");
    for (int i = 0; i < ACTION_COUNT; i++) {
        char word[64];
        snprintf(word, sizeof word, "(%s)", action_table[i].name ? action_table[i].name : "");
        if (action_table[i].name && action_table[i].keys && !strstr(text, word))
            fail_msg("the key of %s is not in the manual", word);
    }
    for (const struct exit_row *e = exit_table; e->text; e++) {
        char row[32];
        snprintf(row, sizeof row, ".B %d\n", e->code);
        assert_non_null(strstr(text, row));
    }
    assert_non_null(strstr(text, "ROOFTOP_NO_MOUSE"));
    assert_non_null(strstr(text, "config.toml"));
    free(text);
}

static void expect_well_formed(const char *what)
{
    struct program p;
    char name[] = "/tmp/rooftop-man-XXXXXX", line[128];
    program_run(&p, "command -v groff");
    bool there = p.status == 0;
    program_free(&p);
    if (!there)
        skip_because("groff is not installed");
    char *text = generated(what);
    int fd = mkstemp(name);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    free(text);
    snprintf(line, sizeof line, "groff -man -ww -Kutf8 -Tutf8 %s", name);
    program_run(&p, line);
    unlink(name);
    assert_string_equal(p.err, "");
    assert_int_equal(p.status, 0);
    assert_true(p.out_len > 1000);
    program_free(&p);
}

TEST(manual_formats_without_warnings)
{
    expect_well_formed("man");
}

/* Each noun has a page of its own, which --generate makes: it describes what is below the noun. */
TEST(each_noun_has_a_page)
{
    for (size_t i = 1; commands[i]; i++) {
        char what[64];
        if (!command_is_noun(commands[i]))
            continue;
        snprintf(what, sizeof what, "man-%s", command_words(commands[i]));
        const int at = command_option_find(commands[0], "generate", 0);
        if (!strstr(commands[0]->options[at].row->choices, what))
            fail_msg("--generate does not know %s", what);
        char *text = generated(what), head[96];
        for (size_t k = 0; commands[k]; k++) {
            snprintf(head, sizeof head, ".SS rooftop %s\n", command_words(commands[k]));
            plain(text);
            const bool told =
                commands[k] == commands[i] || command_is_below(commands[k], commands[i]);
            if ((strstr(text, head) != NULL) != told)
                fail_msg("the page %s and '%s'", what, command_words(commands[k]));
        }
        free(text);
        expect_well_formed(what);
    }
    assert_true(options_generate(stdout, "man-kernels") < 0);
}

/* -h fits a screen, and each of its lines is a command that the parser takes. */
TEST(brief_help_is_one_screen)
{
    char *text = NULL;
    size_t len = 0, lines = 0;
    FILE *f = open_memstream(&text, &len);
    generate_brief(f);
    fclose(f);
    for (char *p = text; *p; p += strcspn(p, "\n") + 1, lines++) {
        if (strcspn(p, "\n") > 80)
            fail_msg("longer than 80 columns: %.*s", (int)strcspn(p, "\n"), p);
        char line[128], *argv[32];
        const char *at = strstr(p, "  rooftop ");
        if (!at || at > p + strcspn(p, "\n"))
            continue;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at + 2, "|\n"), at + 2);
        if (strstr(line, "  "))
            *strstr(line, "  ") = '\0';
        const bool bare = strstr(line, "rooftop --") || strstr(line, "rooftop FILE");
        struct command_found found;
        command_line_find(split(line, argv, 31), argv, &found);
        if (!bare && (found.command == commands[0] || !found.command->run))
            fail_msg("-h names no command in: %s", at);
    }
    assert_true(lines <= 24);
    free(text);
}

/* bash, asked for completions of a command, offers exactly the words that the parser accepts. */
TEST(bash_offers_what_the_parser_takes)
{
    char name[] = "/tmp/rooftop-bash-XXXXXX", *script = generated("bash"), *all = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&all, &len);
    fprintf(f, "%s\n", script);
    free(script);
    for (size_t i = 0; commands[i]; i++)
        if (command_is_listed(commands[i]))
            fprintf(f,
                    "COMP_WORDS=(rooftop %s -); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); COMPREPLY=()\n"
                    "_rooftop; echo \" ${COMPREPLY[*]} \"\n",
                    command_words(commands[i]));
    fclose(f);
    int fd = mkstemp(name);
    assert_int_equal(write(fd, all, len), (ssize_t)len);
    close(fd);
    free(all);
    struct program p;
    char line[128];
    snprintf(line, sizeof line, "bash %s", name);
    program_run(&p, line);
    unlink(name);
    assert_string_equal(p.err, "");
    char *at = p.out;
    for (size_t i = 0; commands[i]; i++) {
        const struct command *c = commands[i];
        if (!command_is_listed(c))
            continue;
        char expected[2048] = " ", *end = strchr(at, '\n');
        size_t n = 1;
        assert_non_null(end);
        *end = '\0';
        struct option_def d;
        for (size_t k = 0; (d = command_option(c, k)).name; k++) {
            n += (size_t)snprintf(expected + n, sizeof expected - n, "--%s ", d.name);
            if (d.letter)
                n += (size_t)snprintf(expected + n, sizeof expected - n, "-%c ", d.letter);
        }
        snprintf(expected + n, sizeof expected - n, "%s", c->starts ? "-- " : "");
        assert_string_equal(at, expected);
        at = end + 1;
    }
    program_free(&p);
}

/* The short name of the program has the same completions and manual. */
TEST(the_short_name_is_completed)
{
    static const char *const parts[][2] = {{"bash", "complete -F _rooftop rooftop rtop\n"},
                                           {"zsh", "#compdef rooftop rtop\n"},
                                           {"man", "rooftop, rtop \\- "}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *text = generated(parts[i][0]);
        if (!strstr(text, parts[i][1]))
            fail_msg("%s lacks: %s", parts[i][0], parts[i][1]);
        free(text);
    }
}

/* zsh and fish accept their scripts, if they are installed. */
TEST(zsh_and_fish_take_their_scripts)
{
    static const char *const shells[] = {"zsh", "fish"};
    size_t there = 0;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        struct program p;
        char name[] = "/tmp/rooftop-shell-XXXXXX", line[128];
        snprintf(line, sizeof line, "command -v %s", shells[i]);
        program_run(&p, line);
        const bool installed = p.status == 0;
        program_free(&p);
        if (!installed)
            continue;
        there++;
        char *text = generated(shells[i]);
        int fd = mkstemp(name);
        assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
        close(fd);
        free(text);
        snprintf(line, sizeof line, "%s -n %s", shells[i], name);
        program_run(&p, line);
        unlink(name);
        assert_string_equal(p.err, "");
        assert_int_equal(p.status, 0);
        program_free(&p);
    }
    if (!there)
        skip_because("neither zsh nor fish is installed");
}

/* The part of a script or manual about one command: from its heading to the next one's. */
static char *part_of(const char *text, const char *head, const char *next)
{
    const char *from = strstr(text, head);
    if (!from) {
        fail_msg("no '%s'", head);
        return NULL;
    }
    const char *to = strstr(from + strlen(head), next);
    return strndup(from, to ? (size_t)(to - from) : strlen(from));
}

/* Manual, zsh and fish name the options of each command, and of no other. */
TEST(forms_agree_with_the_parser)
{
    char *zsh = generated("zsh"), *fish = generated("fish"), *man = generated("man");
    plain(man);
    for (size_t i = 0; commands[i]; i++) {
        const struct command *c = commands[i];
        char head[96];
        if (!command_is_listed(c))
            continue;
        snprintf(head, sizeof head, ".SS rooftop %s\n", command_words(c));
        char *page = part_of(man, head, ".SS ");
        snprintf(head, sizeof head, "\n  '%s') _arguments", command_words(c));
        char *script = part_of(zsh, head, ";;\n");
        for (size_t k = 0; commands[k]; k++)
            for (size_t m = 0; commands[k]->options[m].row; m++) {
                const char *name = commands[k]->options[m].row->name;
                const int at = command_option_find(c, name, 0);
                const bool taken = at >= 0 && !c->options[at].row->internal;
                char word[160];
                snprintf(word, sizeof word, "__rooftop_in \"%s\"' -l %s ", command_words(c), name);
                if ((strstr(fish, word) != NULL) != taken)
                    fail_msg("fish: --%s of '%s'", name, c->name);
                /* The same word may be a flag of one command and not of another. */
                const struct option_def *row =
                    taken ? c->options[at].row : commands[k]->options[m].row;
                const bool flag = row->type == OPTION_FLAG;
                snprintf(word, sizeof word, "--%s%s", name, flag ? "[" : "=");
                char braced[80];
                snprintf(braced, sizeof braced, "--%s%s}", name, flag ? "" : "=");
                if ((strstr(script, word) || strstr(script, braced)) != taken)
                    fail_msg("zsh: --%s of '%s'", name, c->name);
                snprintf(word, sizeof word, "--%s", name);
                if (taken && !strstr(page, word))
                    fail_msg("the manual does not name --%s with '%s'", name, c->name);
            }
        for (const char *p = strstr(page, ".PP\nOptions told below"); p && *p; p++) {
            const size_t n = option_at(p);
            if (n && !takes(c, p, n) && strchr(",.", p[n]))
                fail_msg("the manual names %.*s with '%s'", (int)n, p, c->name);
            p += n ? n - 1 : 0;
            if (strncmp(p, ".\n", 2) == 0)
                break;
        }
        for (const struct command_example *e = c->examples; e->line; e++)
            assert_non_null(strstr(page, e->text));
        free(page);
        free(script);
    }
    free(zsh);
    free(fish);
    free(man);
}

/* --- options with which rooftop starts itself --- */

static const struct command *const takes_in_process[] = {
    &command_replay_check, &command_replay_full, &command_replay_compare,
    &command_trace,        &command_doctor,      &command_judge};

static bool is_internal(const struct command *c, const char *name)
{
    const int at = command_option_find(c, name, 0);
    return at >= 0 && c->options[at].row->internal;
}

TEST(internal_options_are_taken)
{
    for (size_t i = 0; i < sizeof takes_in_process / sizeof *takes_in_process; i++)
        assert_true(is_internal(takes_in_process[i], "in-process"));
    assert_true(is_internal(&command_judge, "cell"));
    assert_true(is_internal(&command_judge, "without"));
    assert_true(is_internal(&command_lab_validate, "measure"));
}

TEST(no_text_names_an_internal_option)
{
    static const char *const forms[] = {"man", "bash", "zsh", "fish", "config-schema"};
    static const char *const words[] = {"in-process", "--cell",      "-l cell",  "cell[",
                                        "--without",  "-l without ", "without[", "--measure",
                                        "-l measure", "measure["};
    for (size_t i = 0; commands[i]; i++) {
        char *text = help_of(commands[i]->name);
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (strstr(text, words[w]))
                fail_msg("the help of '%s' names %s", commands[i]->name, words[w]);
        free(text);
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char *text = generated(forms[i]);
        plain(text);
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (strstr(text, words[w]))
                fail_msg("%s names %s", forms[i], words[w]);
        free(text);
    }
}

/* An error offers what is near and says which command takes the option. */
TEST(no_message_names_an_internal_option)
{
    static char *lines[][3] = {{"rooftop", "judge", "--cells"},
                               {"rooftop", "doctor", "--in-proces"},
                               {"rooftop", "tree", "--in-process"},
                               {"rooftop", "tree", "--without"},
                               {"rooftop", "tree", "--measure"}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct options o;
        struct error err = ERROR_INIT;
        assert_true(options_parse(&o, 3, lines[i], &err) != 0);
        assert_null(strstr(err.help, "did you mean --cell"));
        assert_null(strstr(err.help, "did you mean --in"));
        assert_null(strstr(err.help, "it is an option of"));
        options_free(&o);
    }
}

TEST(completions_hold_every_option)
{
    static const char *const shells[][2] = {{"bash", "--"}, {"zsh", "--"}, {"fish", "-l "}};
    for (size_t i = 0; i < 3; i++) {
        char *text = generated(shells[i][0]);
        expect_every_option(text, shells[i][1]);
        assert_non_null(strstr(text, "doctor"));
        assert_non_null(strstr(text, "jsonl"));
        assert_non_null(strstr(text, "overview"));
        free(text);
    }
}

/* bash accepts the script, and offers what begins like the word. */
TEST(bash_completes)
{
    struct program p;
    char name[] = "/tmp/rooftop-bash-XXXXXX", line[2048];
    char *text = generated("bash");
    int fd = mkstemp(name);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    free(text);
    snprintf(
        line, sizeof line,
        "source %s; COMP_WORDS=(rooftop --inter); COMP_CWORD=1; _rooftop; echo ${COMPREPLY[*]};"
        "COMP_WORDS=(rooftop --format js); COMP_CWORD=2; _rooftop; echo ${COMPREPLY[*]};"
        "COMP_WORDS=(rooftop report tree --format sv); COMP_CWORD=4; _rooftop; echo "
        "\"${COMPREPLY[*]}\";"
        "COMP_WORDS=(rooftop doctor --format sv); COMP_CWORD=3; _rooftop; echo \"${COMPREPLY[*]}\";"
        "COMP_WORDS=(rooftop gpu replay full-); COMP_CWORD=3; _rooftop; echo \"${COMPREPLY[*]}\";"
        "COMP_WORDS=(rooftop report x.db roofl); COMP_CWORD=3; _rooftop; echo ${COMPREPLY[*]};"
        "COMP_WORDS=(rooftop help gp); COMP_CWORD=2; _rooftop; echo ${COMPREPLY[*]};"
        "COMP_WORDS=(rooftop help gpu rep); COMP_CWORD=3; _rooftop; echo ${COMPREPLY[*]};"
        "cd /; COMP_WORDS=(rooftop report x.db et); COMP_CWORD=3; _rooftop; echo ${COMPREPLY[*]};"
        "COMP_WORDS=(rooftop doctor et); COMP_CWORD=2; _rooftop; echo ${COMPREPLY[*]};"
        "COMP_WORDS=(rooftop gpu capture -o et); COMP_CWORD=4; _rooftop; echo ${COMPREPLY[*]};"
        "COMP_WORDS=(rooftop --theme rooftop-li); COMP_CWORD=2; _rooftop; echo ${COMPREPLY[*]};"
        "COMP_WORDS=(rooftop --view kern); COMP_CWORD=2; _rooftop; echo ${COMPREPLY[*]};"
        "COMP_WORDS=(rooftop kerne); COMP_CWORD=1; _rooftop; echo \"${COMPREPLY[*]}\";"
        "COMPREPLY=(); COMP_WORDS=(rooftop -d ''); COMP_CWORD=2; _rooftop; echo "
        "\"${COMPREPLY[*]}\"",
        name);
    program_run(&p, line);
    unlink(name);
    assert_string_equal(p.err, "");
    assert_string_equal(p.out, "--interval\njson jsonl\nsvg\n\nfull-vm\nroofline\ngpu\nreplay "
                               "reproduce\netc\n\netc\nrooftop-light\n"
                               "kernels\n\n\n");
    program_free(&p);
}

/* The scripts put help sentences between single quotes. */
TEST(sentences_hold_no_quote)
{
    struct option_def d;
    for (size_t i = 0; commands[i]; i++) {
        for (size_t k = 0; (d = command_option(commands[i], k)).name; k++)
            assert_null(strchr(d.help, '\''));
        if (strchr(commands[i]->summary, '\'') && *commands[i]->name)
            fail_msg("a quote in the summary of '%s'", commands[i]->name);
    }
}

TEST(the_options_of_a_command_are_sound)
{
    for (size_t i = 0; commands[i]; i++) {
        const struct command *c = commands[i];
        assert_ptr_equal(command_named(c->name), c); /* each name occurs once */
        size_t k = 0, own = 0;
        for (; c->options[k].row; k++) {
            const struct option_def d = option_as_taken(&c->options[k]);
            if (command_option_find(c, d.name, 0) != (int)k)
                fail_msg("'%s' takes --%s twice", c->name, d.name);
            if (d.letter && command_option_find(c, NULL, d.letter) != (int)k)
                fail_msg("'%s' takes -%c twice", c->name, d.letter);
            assert_int_equal(d.type == OPTION_FLAG, d.arg == NULL);
            assert_true(d.offset < (d.own ? d.own : sizeof(struct options)));
            assert_true(!d.own || !d.config);
            if (d.own && own && d.own != own) /* run() finds one struct in o->own */
                fail_msg("--%s of '%s' is in another struct than others", d.name, c->name);
            own = d.own ? d.own : own;
            /* an option of the configuration must be the same row for all commands */
            if (d.config)
                assert_ptr_equal(c->options[k].row, option_key(d.name));
        }
        assert_true(k <= OPTIONS_MAX);
        assert_true(command_option_find(c, "help", 'h') >= 0);
        assert_true(command_option_find(c, "nothing", 0) < 0);
    }
    assert_true(options_generate(stdout, "pdf") < 0);
}

/* Each shared row is used by some command. */
TEST(each_shared_row_is_taken)
{
    for (const struct option_def *d = shared_options; d->name; d++) {
        size_t n = 0;
        for (size_t i = 0; commands[i]; i++)
            for (size_t k = 0; commands[i]->options[k].row; k++)
                n += commands[i]->options[k].row == d;
        if (n < 2 && !(n && d->config))
            fail_msg("%zu commands take the shared row --%s", n, d->name);
        assert_non_null(d->section);
    }
}

TEST(metrics_are_listed)
{
    char *text = generated("metrics");
    assert_non_null(strstr(text, "ipc"));
    assert_non_null(strstr(text, "|"));
    free(text);
}

/* docs/ has the schema for editors; make it anew with --generate config-schema. */
TEST(the_schema_in_docs_is_this_one)
{
    char *text = generated("config-schema"), *kept = calloc(1, 1 << 16);
    FILE *f = fopen("docs/config.schema.json", "r");
    assert_non_null(f);
    assert_true(fread(kept, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    assert_string_equal(kept, text);
    free(kept);
    free(text);
}
