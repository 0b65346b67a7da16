/* rooftop: reads the command line and runs the command (src/cli/commands.c lists them). */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>

#include "cli/help.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/replay/replay.h"
#include "cli/run/progress.h"

static void nothing(int signo)
{
    (void)signo;
}

/*
 * A file opened while fd 1 is closed would become stdout and receive the document. A closed one is
 * held by a descriptor that refuses what is wanted of it.
 */
static void hold_standard_fds(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    struct options o;
    struct error err = ERROR_INIT;
    /* A handler, not SIG_IGN: what we start must not inherit it. A closed pipe, and a file beyond
     * the limit (ulimit -f), is then an errno. */
    struct sigaction sa = {.sa_handler = nothing, .sa_flags = SA_RESTART};
    hold_standard_fds();
    sigemptyset(&sa.sa_mask);
    sigaction(SIGPIPE, &sa, NULL);
    sigaction(SIGXFSZ, &sa, NULL);
    setlocale(LC_CTYPE, ""); /* numbers keep their point */
    int status;
    if (options_parse(&o, argc, argv, &err) != 0)
        status = replay_usage_status(&o, exit_report(&err));
    else if (o.help || o.version || o.print_config || o.generate)
        status = help_print(&o);
    else if (progress_want(&o, &err) != 0)
        status = exit_report(&err);
    else
        status = command_named(o.command)->run(&o);
    options_free(&o);
    return status;
}
