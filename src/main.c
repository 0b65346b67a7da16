/* rooftop: reads the command line and runs the command (capabilities.def lists them). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "alone/character_set.h"
#include "alone/hand_over.h"
#include "base/linkage.h"
#include "base/print.h"
#include "base/stack.h"
#include "cli/help.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/replay/replay.h"
#include "cli/run/output.h"
#include "cli/run/progress.h"
#include "cli/run/spool.h"

static void ignore_signal(int signo)
{
    (void)signo;
}

/*
 * Opens descriptors 0 to 2 if they are closed: otherwise the next file would get such a number
 * and, as stdout, receive the document. The opened descriptor refuses what a program would do with
 * it, and programs that we start have the number closed, as they would without us.
 */
static void hold_standard_fds(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", (fd == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/*
 * Installs an empty handler instead of SIG_IGN, which started programs would inherit; a signal that
 * is ignored already stays so, for us and for them. Writing to a closed pipe, or beyond the limit
 * of ulimit -f, then fails with an errno.
 */
static void fail_with_errno(int signo)
{
    struct sigaction sa = {.sa_handler = ignore_signal, .sa_flags = SA_RESTART}, old;
    sigemptyset(&sa.sa_mask);
    if (sigaction(signo, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(signo, &sa, NULL);
}

/*
 * Finds a file of -o, or a closed standard output, that cannot be written before the command
 * measures for minutes. Commands with a help text of their own for -o write a stream or a folder,
 * and open it themselves first.
 */
static int check_output(const struct options *o, struct error *err)
{
    const struct command *c = command_named(o->command);
    const int i = command_option_find(c, "output", 0);
    return i >= 0 && !c->options[i].help ? output_check(o->output, err) : 0;
}

static int check_stdin(const struct options *o, struct error *err)
{
    if (!o->reads_stdin || !isatty(STDIN_FILENO))
        return 0;
    return error_set(err, ERROR_USAGE, ENOTTY,
                     "pipe the file into it: zcat run.json.gz | rooftop report -", "-",
                     "standard input is a terminal, and a file is waited for");
}

/* Says which of two meanings was taken: the start of a noun, not the file. */
static void tell_hidden_file(const struct options *o)
{
    char line[200];
    if (!o->hidden)
        return;
    print_line(line, sizeof line, "%s means rooftop %s; the file of that name is ./%s", o->hidden,
               o->words, o->hidden);
    exit_note(line);
}

static int run_program(int argc, char **argv)
{
    struct options o;
    struct error err = ERROR_INIT;
    hold_standard_fds();
    fail_with_errno(SIGPIPE);
    fail_with_errno(SIGXFSZ);
    signal(SIGCHLD, SIG_DFL); /* where it is ignored, waitpid finds no child that has ended */
    character_set_take();
    int status;
    const int parsed = options_parse(&o, argc, argv, &err);
    tell_hidden_file(&o);
    if (parsed != 0)
        status = replay_usage_status(&o, exit_report(&err));
    else if (o.help || o.version || o.print_config || o.generate)
        status = help_print(&o);
    else if (check_stdin(&o, &err) != 0 || progress_want(&o, &err) != 0 ||
             check_output(&o, &err) != 0 || spool_operands(&o, &err) != 0)
        status = exit_report(&err);
    else
        status = command_named(o.command)->run(&o);
    options_free(&o);
    return status;
}

int main(int argc, char **argv)
{
    if (LINKAGE_ALONE)
        hand_over(argv);
    int status = stack_run(run_program, argc, argv);
    if (status < 0) {
        exit_note("the stack is too small (ulimit -s), and there is no memory for another one");
        status = EXIT_FAILED;
    }
    return status;
}
