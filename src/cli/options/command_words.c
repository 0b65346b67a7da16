/* How commands are typed: which words of a command line are its command, and how one is shown. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

bool command_is_below(const struct command *c, const struct command *parent)
{
    const bool listed = command_is_listed(parent);
    const char *above = command_words(parent), *words = listed ? command_words(c) : c->name;
    const size_t n = strlen(above);
    return n && command_is_listed(c) && strncmp(words, above, n) == 0 && words[n] == ' ';
}

/* --- which words are the command --- */

/* Whether an option of any command with that name, or letter, needs a value. */
static bool takes_value(const char *name, char letter)
{
    for (size_t i = 0; commands[i]; i++) {
        const int at = command_option_find(commands[i], name, letter);
        if (at >= 0)
            return commands[i]->options[at].row->type != OPTION_FLAG &&
                   !commands[i]->options[at].row->alone;
    }
    return false;
}

/* Whether the word is an option whose value is the next word. */
static bool wants_next(const char *word)
{
    if (strncmp(word, "--", 2) == 0)
        return !strchr(word, '=') && takes_value(word + 2, 0);
    for (const char *s = word + 1; *s; s++)
        if (takes_value(NULL, *s))
            return !s[1];
    return false;
}

/* The index of the next word that is neither an option nor an option's value; argc if there is
 * none before a "--". */
static int find_next_word(int argc, char **argv, int i)
{
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] != '-' || !argv[i][1])
            return i;
        i += wants_next(argv[i]);
    }
    return argc;
}

bool command_is_file_word(const char *word)
{
    return strpbrk(word, "/.") || strcmp(word, "-") == 0 || access(word, F_OK) == 0;
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

void command_line_find(int argc, char **argv, struct command_found *f)
{
    char typed[64] = "", longer[64];
    bool files = false;
    *f = (struct command_found){.command = commands[0]};
    for (int i = find_next_word(argc, argv, 1); i < argc && f->nwords < COMMAND_WORDS_MAX;
         i = find_next_word(argc, argv, i + 1)) {
        snprintf(longer, sizeof longer, "%s%s%.40s", typed, *typed ? " " : "", argv[i]);
        const struct command *c = *argv[i] ? command_typed(longer) : NULL;
        if (c && !(files && access(argv[i], F_OK) == 0)) {
            f->command = c;
            f->words[f->nwords++] = i;
            memcpy(typed, longer, sizeof typed);
        } else if (!command_is_file_word(argv[i])) {
            return;
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
