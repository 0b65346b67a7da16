/* Runs a program and keeps what it wrote. */
#ifndef TESTS_SUPPORT_PROGRAM_H
#define TESTS_SUPPORT_PROGRAM_H

#include <stddef.h>

struct program {
    char *out, *err; /* NUL-terminated; free with program_free */
    size_t out_len, err_len;
    int status; /* exit code, or 128 + signal */
};

/* Shell command line; BIN in the environment is rooftop under test. At most 60 s. */
void program_run(struct program *p, const char *shell);
/* The same, and the test fails unless it ended so; it is skipped where rooftop was not built. */
void program_expect(struct program *p, const char *shell, int status);
void program_sees(const struct program *p, const char *text);  /* fails where it did not print it */
void program_lacks(const struct program *p, const char *text); /* fails where it did */
void program_free(struct program *p);
size_t program_lines(const char *text); /* newlines in it */
/* Path of rooftop ($BUILD/rooftop), or NULL where it was not built. */
const char *program_rooftop(void);

#endif
