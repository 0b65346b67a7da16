/* Runs a program and keeps its output. */
#pragma once

#include <stddef.h>

struct program {
    char *out, *err; /* NUL-terminated; free with program_free */
    size_t out_len, err_len;
    int status; /* exit code, or 128 + signal */
};

/* Runs a shell command line for at most 150 s. BIN in the environment is the rooftop under test. */
void program_run(struct program *p, const char *shell);
/* The same; fails the test unless it ends with this status. Skips the test if rooftop was not
 * built. */
void program_expect(struct program *p, const char *shell, int status);
/* fails the test unless it printed the text on stdout */
void program_sees(const struct program *p, const char *text);
/* Runs a command, which must end with this status and print these texts on stdout and stderr. */
void program_answers(const char *shell, int status, const char *out, const char *err);
/* fails the test if it printed the text on stdout */
void program_lacks(const struct program *p, const char *text);
void program_free(struct program *p);
size_t program_lines(const char *text); /* number of newlines */
/* Skips the test if rooftop was not built. */
void program_needed(void);
/* The path of rooftop ($BUILD/rooftop); NULL if it was not built. */
const char *program_rooftop(void);
