/*
 * A command of the program: one file under cli/, one line in main.c's table. Options come from one
 * table (options.c) that also makes --help, the manual, completions and the config file's keys.
 */
#ifndef ROOFTOP_CLI_OPTIONS_COMMAND_H
#define ROOFTOP_CLI_OPTIONS_COMMAND_H

#include "base/error.h"
#include "cli/options/options.h"

/* Documented in the manual (docs/EXIT_CODES in the man page). A watched command's own status is
 * passed on instead. */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1, /* internal error */
    EXIT_USAGE = 2,  /* options, unknown event */
    EXIT_INPUT = 3,  /* malformed config, metric or theme file */
    EXIT_TARGET = 4, /* PID gone or not ours, no such cgroup */
    EXIT_PERMISSION = 5,
    EXIT_UNSUPPORTED = 6,
    EXIT_OUTPUT = 7,        /* stdout closed, disk full */
    EXIT_TERMINAL = 8,      /* no terminal, unknown TERM */
    EXIT_DIFFERS = 9,       /* replay: memory differs; compare: slower */
    EXIT_GPU = 10,          /* replay: fault, illegal instruction, dead queue */
    EXIT_TIMEOUT = 11,      /* replay: a dispatch that does not complete */
    EXIT_CANNOT_EXEC = 126, /* command found but not executable */
    EXIT_NOT_FOUND = 127,   /* command not found */
};
enum exit_code exit_code_of(const struct error *err);

struct command {
    const char *name;              /* "doctor"; "" is the dashboard */
    const char *summary;           /* one line */
    const char *usage;             /* "rooftop doctor [--format json]" */
    int (*run)(struct options *o); /* returns the exit status */
    bool starts;                   /* takes a command after "--" */
};
extern const struct command commands[]; /* main.c; terminated by name == NULL */

#endif
