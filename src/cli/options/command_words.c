/* How commands are typed: which words of a command line are its command, and how one is shown. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/nearest.h"
#include "cli/options/command.h"

static size_t index_of_command(const struct command *c)
{
    size_t i = 0;
    while (commands[i] != c)
        i++;
    return i;
}

bool command_is_listed(const struct command *c)
{
    return command_spellings[index_of_command(c)][0] != NULL;
}

const char *command_words(const struct command *c)
{
    return command_is_listed(c) ? command_spellings[index_of_command(c)][0] : c->name;
}

bool command_is_noun(const struct command *c)
{
    const char *words = command_words(c);
    return command_is_listed(c) && *words && !strchr(words, ' ');
}

const struct command *command_typed(const char *words)
{
    for (size_t i = 0; commands[i]; i++)
        for (size_t k = 0; k < COMMAND_SPELLINGS && command_spellings[i][k]; k++)
            if (strcmp(command_spellings[i][k], words) == 0)
                return commands[i];
    return command_named(words);
}

/* How many nouns begin with the word; found: the last of them; names: all, as "record, report". */
static size_t count_started(const char *word, const struct command **found, char *names,
                            size_t size)
{
    size_t n = 0, at = 0;
    for (size_t i = 1; commands[i] && *word; i++) {
        const char *noun = command_words(commands[i]);
        if (!command_is_noun(commands[i]) || strncmp(noun, word, strlen(word)) != 0)
            continue;
        *found = commands[i];
        if (at < size)
            at += (size_t)snprintf(names + at, size - at, "%s%s", n ? ", " : "", noun);
        n++;
    }
    return n;
}

const struct command *command_noun_started(const char *word)
{
    const struct command *found = NULL;
    return count_started(word, &found, NULL, 0) == 1 ? found : NULL;
}

bool command_is_below(const struct command *c, const struct command *parent)
{
    const bool listed = command_is_listed(parent);
    const char *above = command_words(parent), *words = listed ? command_words(c) : c->name;
    const size_t n = strlen(above);
    return n && command_is_listed(c) && strncmp(words, above, n) == 0 && words[n] == ' ';
}

/* --- which words are the command --- */

/* How the option takes values: 1 always from the next word if it is not in its own, 0 never, or not
 * always; -1: the command has no such option. */
static int takes_value(const struct command *c, const char *name, char letter)
{
    const int at = command_option_find(c, name, letter);
    if (at < 0)
        return -1;
    const struct option_def *d = c->options[at].row;
    return d->type != OPTION_FLAG && !d->alone;
}

/* Whether the next word is the option's value: as the command says that is taken for the one of the
 * line, else as all commands that have the option say. Where they differ, it is one unless it is a
 * command. */
static bool takes_next(const struct command *guess, const char *name, char letter, const char *next)
{
    int takes = takes_value(guess, name, letter);
    bool differ = false;
    for (size_t i = 0; takes < 0 && commands[i]; i++)
        takes = takes_value(commands[i], name, letter);
    for (size_t i = 0; takes_value(guess, name, letter) < 0 && commands[i]; i++) {
        const int other = takes_value(commands[i], name, letter);
        differ = differ || (other >= 0 && other != takes);
    }
    if (differ)
        return next && !command_typed(next);
    return takes > 0;
}

/* Whether the word is an option whose value is the next word. */
static bool wants_next(const struct command *guess, const char *word, const char *next)
{
    if (strncmp(word, "--", 2) == 0)
        return !strchr(word, '=') && takes_next(guess, word + 2, 0, next);
    for (const char *s = word + 1; *s; s++)
        if (takes_next(guess, NULL, *s, next))
            return !s[1];
    return false;
}

/* Whether a command is typed like an option that no command has: --assert. */
static bool is_command_with_dashes(const char *word)
{
    if (strncmp(word, "--", 2) != 0 || !word[2] || !command_typed(word + 2))
        return false;
    for (size_t i = 0; commands[i]; i++)
        if (command_option_find(commands[i], word + 2, 0) >= 0)
            return false;
    return true;
}

/* The index of the next word that is neither an option nor an option's value; argc if there is
 * none before a "--". */
static int find_next_word(const struct command *guess, int argc, char **argv, int i)
{
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] != '-' || !argv[i][1] || is_command_with_dashes(argv[i]))
            return i;
        i += wants_next(guess, argv[i], i + 1 < argc ? argv[i + 1] : NULL);
    }
    return argc;
}

bool command_is_file_word(const char *word)
{
    struct stat st; /* of the word itself: a link may lead nowhere, or back to itself */
    return strpbrk(word, "/.:") || strcmp(word, "-") == 0 || lstat(word, &st) == 0;
}

/* Whether the word that follows may be this option's value: of --syscalls, which needs none. */
static bool may_take_next(const char *word)
{
    for (size_t i = 0; strncmp(word, "--", 2) == 0 && commands[i]; i++) {
        const int at = command_option_find(commands[i], word + 2, 0);
        if (at >= 0 && commands[i]->options[at].row->alone)
            return true;
    }
    return false;
}

/* The noun that is meant by argv[i], the first letters of its name; NULL: it is no such word. Which
 * files are here does not matter, as it does not for whole nouns: ./t is a file. */
static const struct command *find_started_noun(char **argv, int i)
{
    const bool other = strpbrk(argv[i], "/.-") || may_take_next(argv[i - 1]);
    return other ? NULL : command_noun_started(argv[i]);
}

/* Whether a file is meant that can be started: a script, or a program of this host, with a slash as
 * the shell wants it. Code objects of GPUs are ELF files, too, and are opened; so is what has the
 * ending of a document. */
static bool is_program(const char *path)
{
    enum { MACHINE = 18, NEED = 20, AMDGPU = 224, CUDA = 190 };
    static const char *const documents[] = {".json", ".db", ".sqlite", ".csv", ".gz", ".rooftop"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof documents / sizeof *documents; i++)
        if (strcmp(dot, documents[i]) == 0)
            return false;
    if (!strchr(path, '/'))
        return false;
    unsigned char head[NEED] = {0};
    const int fd = access(path, X_OK) == 0 ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    const ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        close(fd);
    if (n > 2 && memcmp(head, "#!", 2) == 0)
        return true;
    return n == NEED && memcmp(head, "\177ELF", 4) == 0 && head[MACHINE] != AMDGPU &&
           head[MACHINE] != CUDA;
}

/* Takes "compare -- A -- B" for what "compare --" is. */
static void find_spelling_with_dashes(const char *typed, int argc, char **argv,
                                      struct command_found *f)
{
    char longer[64];
    bool dashes = false;
    snprintf(longer, sizeof longer, "%.48s --", typed);
    for (int i = 1; i < argc && !dashes; i++)
        dashes = strcmp(argv[i], "--") == 0;
    const struct command *c = dashes ? command_typed(longer) : NULL;
    f->command = c ? c : f->command;
}

/* Whether a word is a line for the shell: "./program", or no file but a blank in it and a program
 * of this host in front. A mistyped name of a file with a blank is not one. */
static bool is_shell_line(const char *word)
{
    const size_t n = strcspn(word, " ");
    char program[256], found[PATH_MAX];
    if (!strpbrk(word, " \t\n'\"\\$&;|<>*?[]()`") && is_program(word))
        return true;
    if (!word[n] || n == 0 || n >= sizeof program || access(word, F_OK) == 0)
        return false;
    memcpy(program, word, n);
    program[n] = '\0';
    return strchr(program, '/') ? access(program, X_OK) == 0
                                : child_find(program, found, sizeof found) != NULL;
}

/* Takes "compare 'a -x' ./b" for what "compare -- a -x -- ./b" is. */
static void find_quoted_lines(int argc, char **argv, struct command_found *f)
{
    const struct command *bench = command_typed("compare --");
    int lines = 0, i = f->nwords ? f->words[f->nwords - 1] + 1 : argc;
    if (f->command != command_typed("compare"))
        return;
    while ((i = find_next_word(bench, argc, argv, i)) < argc && is_shell_line(argv[i])) {
        lines++;
        i++;
    }
    if (i == argc && lines == 2)
        f->command = bench;
}

/* Finds the words where options have values as those of the command guess. */
static void find_words(const struct command *guess, int argc, char **argv, struct command_found *f)
{
    char typed[64] = "", longer[64];
    bool files = false;
    *f = (struct command_found){.command = commands[0]};
    for (int i = find_next_word(guess, argc, argv, 1); i < argc && f->nwords < COMMAND_WORDS_MAX;
         i = find_next_word(guess, argc, argv, i + 1)) {
        const char *word = argv[i] + (argv[i][0] == '-' && argv[i][1] ? 2 : 0);
        snprintf(longer, sizeof longer, "%s%s%.40s", typed, *typed ? " " : "", word);
        const struct command *c = *word ? command_typed(longer) : NULL;
        if (!c && !*typed) { /* a view of a file: waves */
            snprintf(longer, sizeof longer, "report %.40s", word);
            c = command_typed(longer);
        }
        if (!c && !*typed && (c = find_started_noun(argv, i))) {
            snprintf(longer, sizeof longer, "%s", command_words(c));
            f->hidden = access(argv[i], F_OK) == 0 ? argv[i] : NULL;
        }
        if (c) {
            f->command = c;
            f->words[f->nwords++] = i;
            memcpy(typed, longer, sizeof typed);
        } else if (!command_is_file_word(argv[i]) && !(*typed && f->command->files)) {
            return; /* behind a noun that takes files it is a file that is missing */
        } else if (!*typed && !files && is_program(argv[i])) {
            f->program = i;
            return;
        } else {
            files = true;
        }
    }
    if (!files)
        find_spelling_with_dashes(typed, argc, argv, f);
}

/* An option before the command's words may have a value in one command and none in another one:
 * the words are looked for again as the command that was found says. */
void command_line_find(int argc, char **argv, struct command_found *f)
{
    enum { TURNS = 3 };
    const struct command *guess = commands[0];
    for (int i = 0; i < TURNS; i++) {
        find_words(guess, argc, argv, f);
        find_quoted_lines(argc, argv, f);
        if (f->command == guess)
            return;
        guess = f->command;
    }
}

/* --- a word that is no command --- */

/* The command itself, or what an old word that only stood before others stands for today: the one
 * of them with the fewest words, as "check golden" for "golden". */
static const struct command *find_listed(const struct command *c)
{
    const struct command *best = NULL;
    const size_t n = strlen(c->name);
    if (command_is_listed(c))
        return c;
    for (size_t i = 1; commands[i]; i++)
        if (command_is_listed(commands[i]) && strncmp(commands[i]->name, c->name, n) == 0 &&
            commands[i]->name[n] == ' ' &&
            (!best || strlen(command_words(commands[i])) < strlen(command_words(best))))
            best = commands[i];
    return best ? best : c;
}

int command_refuse(const char *parent, const char *word, struct error *err)
{
    char what[192], help[320], watch[128], names[128];
    struct nearest nearest;
    const struct command *started;
    const size_t n = strlen(parent);
    snprintf(what, sizeof what, "command '%.40s%s%.100s'", parent, n ? " " : "", word);
    if (!n && count_started(word, &started, names, sizeof names) > 1)
        return error_set(err, ERROR_USAGE, EINVAL, "type one letter more, or all of it", what,
                         "several commands begin so: %s", names);
    nearest_start(&nearest, word);
    for (size_t i = 1; commands[i]; i++) {
        const char *words = command_words(commands[i]);
        if (!n)
            nearest_offer(&nearest, commands[i]->name);
        if (!n || (strncmp(words, parent, n) == 0 && words[n] == ' '))
            nearest_offer(&nearest, words + (n ? n + 1 : 0));
    }
    const char *near = *word ? nearest_found(&nearest) : NULL;
    const struct command *typed = near && !n ? command_typed(near) : NULL;
    if (typed)
        near = command_words(find_listed(typed));
    if (!n)
        snprintf(watch, sizeof watch, "rooftop -h lists them; to watch a program: rooftop -- %.60s",
                 *word ? word : "COMMAND");
    else
        snprintf(watch, sizeof watch, "see rooftop %.32s --help", parent);
    snprintf(help, sizeof help, "%s%s%s%s", near ? "did you mean '" : "", near ? near : "",
             near ? "'? " : "", watch);
    return error_set(err, ERROR_USAGE, EINVAL, help, what, "rooftop has no such command");
}

bool command_is_near(const struct command *noun, const char *word)
{
    struct nearest nearest;
    nearest_start(&nearest, word);
    for (size_t i = 1; commands[i]; i++)
        if (command_is_below(commands[i], noun))
            nearest_offer(&nearest, command_words(commands[i]) + strlen(command_words(noun)) + 1);
    return nearest_found(&nearest) != NULL;
}

bool command_is_second(const struct command *c, const char *word)
{
    char other[64];
    const char *words = command_words(c), *blank = strchr(words, ' ');
    if (!c->files || !blank || strchr(blank + 1, ' '))
        return false;
    snprintf(other, sizeof other, "%.*s %.40s", (int)(blank - words), words, word);
    return command_typed(other) != NULL;
}
