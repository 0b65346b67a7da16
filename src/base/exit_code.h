/* Exit statuses. cli/options/exit.c has their texts for the manual. If a watched command ran, its
 * own status is passed on instead. */
#pragma once

enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1, /* internal error */
    EXIT_USAGE = 2,  /* wrong options, unknown event */
    EXIT_INPUT = 3,  /* malformed config, metric or theme file */
    EXIT_TARGET = 4, /* the process is gone or belongs to another user, no such cgroup */
    EXIT_PERMISSION = 5,
    EXIT_UNSUPPORTED = 6,
    EXIT_OUTPUT = 7,        /* stdout is closed, the disk is full */
    EXIT_TERMINAL = 8,      /* not a terminal, or unknown TERM */
    EXIT_DIFFERS = 9,       /* replay: memory differs; compare: b is slower */
    EXIT_GPU = 10,          /* replay: fault, illegal instruction, dead queue */
    EXIT_TIMEOUT = 11,      /* replay: a dispatch that does not complete */
    EXIT_CANNOT_EXEC = 126, /* command found but not executable */
    EXIT_NOT_FOUND = 127,   /* command not found */
};
