/* Builds a kernel once with a shell command, with a time limit; keeps its messages. */
#ifndef ROOFTOP_CLI_REPLAY_REPLAY_BUILD_H
#define ROOFTOP_CLI_REPLAY_REPLAY_BUILD_H

#include <signal.h>
#include <stdbool.h>

enum { BUILD_OUTPUT = 2000 };
struct replay_build {
    bool ok;
    double seconds;
    char status[64];               /* "exit 1", "killed after 300 s" */
    char output[BUILD_OUTPUT + 1]; /* the beginning of its messages, whole lines */
};
/* Runs command after replacing {out} and {source} by these paths, quoted for the shell. limit_s:
 * seconds until it is killed. */
void replay_build_run(struct replay_build *b, const char *command, const char *source,
                      const char *out, double limit_s, const volatile sig_atomic_t *stopped);
/* The command after the replacement; the caller frees it. */
char *replay_build_command(const char *command, const char *source, const char *out);
/* Copies a file with code; returns false if it does not exist, is empty, or cannot be copied. */
bool replay_build_copy(const char *from, const char *to);

#endif
