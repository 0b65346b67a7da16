/* One build of a kernel, by the shell, with its messages and a limit of time. */
#ifndef ROOFTOP_CLI_REPLAY_REPLAY_BUILD_H
#define ROOFTOP_CLI_REPLAY_REPLAY_BUILD_H

#include <signal.h>
#include <stdbool.h>

enum { BUILD_OUTPUT = 2000 };
struct replay_build {
    bool ok;
    double seconds;
    char status[64];               /* "exit 1", "killed after 300 s" */
    char output[BUILD_OUTPUT + 1]; /* how its messages begin, whole lines */
};
/* {out} and {source} in command are replaced by these paths, quoted for the shell. */
void replay_build_run(struct replay_build *b, const char *command, const char *source,
                      const char *out, double limit_s, const volatile sig_atomic_t *stopped);
/* The command itself; free it. */
char *replay_build_command(const char *command, const char *source, const char *out);
/* A file of code; false: it is not there, empty, or cannot be copied. */
bool replay_build_copy(const char *from, const char *to);

#endif
