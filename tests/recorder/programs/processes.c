/* Every way to make a process and to execute a program: right and wrong, with another environment.
 */
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int status_of(pid_t child)
{
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int spawn(const char *program)
{
    char *argv[] = {(char *)program, NULL}; /* NOLINT: posix_spawn's type */
    pid_t child;
    return posix_spawnp(&child, program, NULL, NULL, argv, environ) == 0 ? status_of(child) : -1;
}

static int fail_then_execute(void)
{
    const pid_t child = vfork(); /* NOLINT: vfork is what is tried */
    if (child == 0) {
        execl("/nonexistent", "nonexistent", (char *)NULL);
        execlp("false", "false", (char *)NULL);
        _exit(9);
    }
    return status_of(child);
}

static int with_environment(void)
{
    char *environment[] = {(char *)"A=1", NULL}; /* NOLINT: execle's type */
    const pid_t child = fork();
    if (child == 0) {
        execle("/bin/sh", "sh", "-c", "test \"$(env | grep -c -v ^_=)\" -le 3 && exit $((A + 6))",
               (char *)NULL, environment);
        _exit(9);
    }
    return status_of(child);
}

static int vfork_in_vfork(void)
{
    const pid_t child = vfork(); /* NOLINT: vfork is what is tried */
    if (child == 0) {
        const pid_t second = vfork(); /* NOLINT: vfork is what is tried */
        if (second == 0)
            _exit(5);
        _exit(status_of(second) + 1);
    }
    return status_of(child);
}

int main(void)
{
    for (int i = 0; i < 5; i++)
        printf("%d %d %d %d %d\n", spawn("true"), spawn("false"), fail_then_execute(),
               with_environment(), vfork_in_vfork());
    return 3;
}
