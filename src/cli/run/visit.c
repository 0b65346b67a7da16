#include "cli/run/visit.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts it with default signals, in our process group, which has the terminal. */
static int start_visit(char *const words[], pid_t *pid)
{
    posix_spawnattr_t attributes;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const int code = posix_spawnp(pid, words[0], NULL, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    return code;
}

int visit_in_terminal(struct term *t, char *const words[], struct error *err)
{
    /* ^C is for the program that has the terminal, not for us */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, on_int, on_quit;
    int status = 0;
    pid_t pid;
    term_lend(t);
    sigaction(SIGINT, &ignore, &on_int);
    sigaction(SIGQUIT, &ignore, &on_quit);
    const int code = start_visit(words, &pid);
    while (code == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &on_int, NULL);
    sigaction(SIGQUIT, &on_quit, NULL);
    term_take_back(t);
    if (code)
        return error_set(err, ERROR_TARGET, code, NULL, words[0], "%s", strerror(code));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return error_set(err, ERROR_TARGET, ENOENT, "copy the static one: docs/FLEET.md", words[0],
                         "there is no rooftop on that host");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return error_set(err, ERROR_TARGET, EIO, "its messages are above the dashboard", words[0],
                         "it ended with status %d",
                         WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return 0;
}
