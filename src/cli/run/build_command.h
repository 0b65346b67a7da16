/* Builds a file once with a shell command, with a time limit; keeps its messages. */
#pragma once

#include <signal.h>
#include <stdbool.h>

enum { BUILD_OUTPUT = 2000 };
struct build_command {
    bool ok;
    double seconds;
    char status[64];               /* "exit 1", "killed after 300 s" */
    char output[BUILD_OUTPUT + 1]; /* the beginning of its messages, whole lines */
};
/* Runs command after replacing {out} and {source} by these paths, quoted for the shell. limit_s:
 * seconds until it is killed. */
void build_command_run(struct build_command *b, const char *command, const char *source,
                       const char *out, double limit_s, const volatile sig_atomic_t *stopped);
/* Copies a file with code; returns false if it does not exist, is empty, or cannot be copied. */
bool build_command_copy(const char *from, const char *to);
