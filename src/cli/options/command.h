/*
 * A command of the program: its name, options, examples and exit statuses. The description is in
 * the file with the command's code; src/capabilities.def lists all of them. The parser, --help, the
 * manual, the completions and the configuration's schema are made from it.
 */
#pragma once

#include "base/error.h"
#include "cli/options/exit.h"
#include "cli/options/options.h"

/* An option as one command takes it. */
struct command_option {
    const struct option_def *row;
    const char *arg, *choices, *help; /* this command's own texts; NULL: those of the row */
};

struct command_example {
    const char *line, *text; /* a line as typed in a shell, and a clause that says what it does */
};

struct command {
    const char *name;    /* "doctor", "replay edit"; "" is the dashboard */
    const char *summary; /* one line for lists of commands */
    const char *usage;   /* "rooftop doctor [--format text|json] [-o FILE]" */
    int (*run)(
        struct options *o); /* returns the exit status; NULL: the command only has sub-commands */
    bool starts;            /* starts the command after "--" */
    bool files;             /* its words are files: "-" is standard input */
    bool converts; /* --format is that of what it writes or opens, not of its short answer */
    const struct command_option *options;   /* in the order of --help; terminated by row == NULL */
    const struct command_example *examples; /* terminated by line == NULL */
    /* Statuses besides those of all commands, or statuses whose text differs from exit_table's;
     * terminated by {0}. NULL: none. */
    const struct exit_row *exits;
};
#define COMMAND(id, ...) extern const struct command command_##id;
#include "capabilities.def"
extern const struct command *const commands[];         /* all of capabilities.def, then NULL */
const struct command *command_named(const char *name); /* NULL if there is no such command */

/* How each of commands[] is typed, at most so many ways; the first is the one that is shown. */
enum { COMMAND_SPELLINGS = 2, COMMAND_WORDS_MAX = 4 };
extern const char *const command_spellings[][COMMAND_SPELLINGS];
/* The command that is typed so: "report kernels", or by its name "kernels". NULL: none is. */
const struct command *command_typed(const char *words);
/* The noun that begins with the word, as "compare" with "co"; NULL: none does, or several do. */
const struct command *command_noun_started(const char *word);
/* How the command is shown: "report kernels"; its name where no list has it. */
const char *command_words(const struct command *c);
/* Whether lists have it. */
bool command_is_listed(const struct command *c);
/* Whether it is typed by one word, and others perhaps by this word and more: "report". */
bool command_is_noun(const struct command *c);

/* Which words of a command line are its command. */
struct command_found {
    const struct command *command; /* commands[0]: no word is one */
    int words[COMMAND_WORDS_MAX];  /* their indices in argv */
    int nwords;
    int program;        /* index of a program to be started without "--" before it; 0: none */
    const char *hidden; /* a start of a noun that is also the name of a file; NULL: none */
};
/* Options and files may precede the words: rooftop -o x profile.db report path. The noun may be cut
 * where its start is no other noun's: rooftop co a.db b.db. Like a whole noun, it comes before a
 * file of that name, which is ./co. */
void command_line_find(int argc, char **argv, struct command_found *found);
/* Whether the word is a file, or looks like a path: commands have neither a slash nor a dot. */
bool command_is_file_word(const char *word);
/* Reports a word that is no command. parent: "gpu replay" if it would be below it, or "". Old names
 * count as near, and are offered as they are typed now. */
int command_refuse(const char *parent, const char *word, struct error *err);
/* Whether the word would be another command below the same noun: "kernels" after "report path". */
bool command_is_second(const struct command *c, const char *word);
/* Whether the word looks like a command below the noun, typed wrongly. */
bool command_is_near(const struct command *noun, const char *word);

/* --- macros for lists of options --- */

/* Takes a row of shared.def as it is, or with a .help, .choices or .arg of this command's own. */
#define TAKES(id)                                                                                  \
    {                                                                                              \
        .row = &shared_options[SHARED_##id]                                                        \
    }
#define TAKES_AS(id, ...)                                                                          \
    {                                                                                              \
        .row = &shared_options[SHARED_##id], __VA_ARGS__                                           \
    }
/* An option that no other command has. Its value is AT a member of struct options, or OWN_AT one of
 * the command's own struct, which run() finds in o->own. */
#define OWN(...)                                                                                   \
    {                                                                                              \
        .row = &(const struct option_def)                                                          \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
/* An option with which rooftop starts itself. */
#define INTERNAL(...)       OWN(.internal = true, __VA_ARGS__)
#define AT(member)          .offset = offsetof(struct options, member)
#define OWN_AT(tag, member) .own = sizeof(struct tag), .offset = offsetof(struct tag, member)
#define EXAMPLES(...)                                                                              \
    (const struct command_example[])                                                               \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            .line = NULL                                                                           \
        }                                                                                          \
    }
#define EXITS(...)                                                                                 \
    (const struct exit_row[])                                                                      \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            .text = NULL                                                                           \
        }                                                                                          \
    }
/* Options that commands take together. */
/* clang-format off */
#define TAKES_GENERAL TAKES(CONFIG), TAKES(NO_CONFIG), TAKES(HELP), TAKES(VERSION), {.row = NULL}
#define TAKES_ANSWER TAKES(BRIEF), TAKES_AS(FORMAT, .choices = "text|json|markdown", .help = "of --brief, which json and markdown ask for; text unless given")
#define TAKES_DRAWN   TAKES(ASCII), TAKES(UTF8)
#define TAKES_OPENED  TAKES(VALUE), TAKES(FROM), TAKES(TO), TAKES(RANGE), TAKES(MAX_MEMORY), TAKES(COLLECTIVES)
#define TAKES_IN_PROCESS INTERNAL(.name = "in-process", .type = OPTION_FLAG, AT(in_process))
#define TAKES_TRACED  TAKES(PID), TAKES(CHILDREN), TAKES(FOR), TAKES(RANGES), TAKES(BRICK_COUNTERS), TAKES(USDT)
#define TAKES_CALLS   TAKES(SYSCALLS), TAKES(BY)
#define TAKES_LIVE    TAKES(PID), TAKES(CHILDREN), TAKES(CGROUP), TAKES(CPU), TAKES(EVENT), TAKES(PORTS), TAKES(METRICS), \
                      TAKES(INTERVAL), TAKES(FUNCTIONS), TAKES(THREADS), TAKES(SAMPLE_RATE), \
                      TAKES(CALL_GRAPH), TAKES(RANGES), TAKES(BRICK_COUNTERS)
#define TAKES_OTLP    TAKES(OTLP), TAKES(OTLP_PROTOCOL), TAKES(OTLP_SPOOL), TAKES(OTLP_SPOOL_SIZE), TAKES(OTLP_WAIT)
#define EXITS_TRACED  EXITS({.code = EXIT_TARGET, .text = "there is no such process, or it has no bricks"}, \
                            {.code = EXIT_PERMISSION}, {.code = EXIT_UNSUPPORTED})
/* clang-format on */

/* The option with the command's own texts. */
struct option_def option_as_taken(const struct command_option *o);
/* The i-th option of a command that is not internal; its name is NULL after the last. */
struct option_def command_option(const struct command *c, size_t i);
/* The index in c->options of the option with that name, or (name NULL) letter; -1: the command has
 * none. */
int command_option_find(const struct command *c, const char *name, char letter);
/* Replaces o->own by the values of command c, set to their defaults: for a command that ends in
 * another one. */
int options_own(struct options *o, const struct command *c, struct error *err);
/* What a status of exit_table means for the command; NULL: the command never ends with it. For the
 * command "": what the status means for all commands. */
const char *command_status(const struct command *c, const struct exit_row *e);
/* Whether c is a sub-command of parent, as "gpu replay edit" is of "gpu replay" and "gpu". */
bool command_is_below(const struct command *c, const struct command *parent);
