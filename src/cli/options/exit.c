#include "cli/options/exit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/options/command.h"

const struct exit_row exit_table[] = {
    {EXIT_DONE, "done", EXIT_OF_ALL},
    {EXIT_FAILED, "internal error", EXIT_OF_ALL},
    {EXIT_USAGE,
     "wrong usage: an unknown option, value or event, or options that contradict each "
     "other",
     EXIT_OF_ALL},
    {EXIT_INPUT, "a file is malformed, cannot be read, or has a format that rooftop does not read",
     EXIT_OF_ALL},
    {EXIT_TARGET, "the process, cgroup or CPU to be watched does not exist or is not yours",
     EXIT_OF_SOME},
    {EXIT_PERMISSION, "the kernel refused; rooftop doctor says which right is missing",
     EXIT_OF_SOME},
    {EXIT_UNSUPPORTED, "not possible on this machine or with this build", EXIT_OF_SOME},
    {EXIT_OUTPUT,
     "the output could not be written: it is closed, the disk is full, or the file "
     "exists",
     EXIT_OF_ALL},
    {EXIT_TERMINAL, "there is no terminal, or its type is unknown", EXIT_OF_SOME},
    {EXIT_DIFFERS, "the answer is no: replayed memory or variants differ, or B is slower than A",
     EXIT_OF_SOME},
    {EXIT_GPU, "the GPU failed: a memory fault, an illegal instruction, or a queue that died",
     EXIT_OF_SOME},
    {EXIT_TIMEOUT, "the GPU did not complete the dispatch in the time given", EXIT_OF_SOME},
    {EXIT_CANNOT_EXEC, "the command was found but cannot be executed", EXIT_OF_STARTERS},
    {EXIT_NOT_FOUND, "the command was not found", EXIT_OF_STARTERS},
    {0, NULL, EXIT_OF_SOME},
};

static enum exit_code exit_code_of(const struct error *err)
{
    switch (err->kind) {
    case ERROR_NONE:
        return EXIT_DONE;
    case ERROR_USAGE:
        return EXIT_USAGE;
    case ERROR_INPUT:
        return EXIT_INPUT;
    case ERROR_TARGET:
        return EXIT_TARGET;
    case ERROR_PERMISSION:
        return EXIT_PERMISSION;
    case ERROR_UNSUPPORTED:
        return EXIT_UNSUPPORTED;
    case ERROR_OUTPUT:
        return EXIT_OUTPUT;
    case ERROR_TERMINAL:
        return EXIT_TERMINAL;
    case ERROR_INTERNAL:
        break;
    }
    return EXIT_FAILED;
}

/* Prints a message on one line. It may contain what the user typed or a file's content, so
 * newlines and escape sequences are replaced. */
static void print_one_line(const char *text)
{
    char line[1024];
    size_t len = print_line(line, sizeof line - 1, "rooftop: %s", text);
    line[len++] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, len); /* raw: made by print_line */
    (void)ignored;
}

/* Cuts a path behind its first part that is not there. Returns where its last name begins. */
static const char *cut_behind_missing(char *path)
{
    struct stat st;
    char *name = path;
    for (char *p = path; *p; p++) {
        if (*p != '/' || p == path)
            continue;
        *p = '\0';
        if (stat(path, &st) != 0)
            return name;
        *p = '/';
        name = p + 1;
    }
    return *path == '/' && name == path ? path + 1 : name;
}

/* If nothing else helps with a file that is not there: which part of its path is missing. */
static void say_what_is_missing(struct error *err)
{
    struct stat st;
    char path[sizeof err->what];
    memcpy(path, err->what, sizeof path);
    if (err->kind == ERROR_INPUT && err->code == ELOOP && !*err->help)
        snprintf(err->help, sizeof err->help, "it is a link that leads back to itself");
    if (err->kind != ERROR_INPUT || err->code != ENOENT || *err->help ||
        strcmp(err->why, strerror(ENOENT)) != 0 || strlen(path) + 1 == sizeof path)
        return;
    const int folder = (int)(cut_behind_missing(path) - path);
    if (lstat(path, &st) == 0)
        snprintf(err->help, sizeof err->help, "it is a link, and what it leads to is not there");
    else if (strlen(path) < strlen(err->what))
        snprintf(err->help, sizeof err->help, "there is no folder %s", path);
    else if (folder)
        snprintf(err->help, sizeof err->help, "ls %.*s shows what is there", folder, path);
    else
        snprintf(err->help, sizeof err->help,
                 "it is not in this folder: name it with its path, or go to where it lies");
}

int exit_report(const struct error *err)
{
    char line[1024];
    struct error told = *err;
    say_what_is_missing(&told);
    /* A reader that ended early, such as head, saw what it wanted: only the status says it. */
    if (err->kind != ERROR_OUTPUT || err->code != EPIPE)
        print_one_line(error_format(&told, line, sizeof line));
    return (int)exit_code_of(err);
}

void exit_note(const char *text)
{
    print_one_line(text);
}

int exit_report_command(const struct error *err)
{
    int status = exit_report(err);
    if (err->kind != ERROR_TARGET)
        return status;
    return err->code == ENOENT || err->code == ENOTDIR ? EXIT_NOT_FOUND : EXIT_CANNOT_EXEC;
}

int exit_of_wait_status(int wait_status)
{
    if (WIFSIGNALED(wait_status))
        return 128 + WTERMSIG(wait_status);
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EXIT_FAILED;
}

int exit_by_signal(int signo)
{
    sigset_t one;
    signal(signo, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, signo);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(signo);
    return 128 + signo;
}
