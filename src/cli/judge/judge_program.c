#include "cli/judge/judge_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "engine/judge/program.h"

enum { FOLDER = 1024 };

/* The command with the quoted path of the file in place of each {}. The path is absolute,
 * because the command may change its folder. The caller frees it. */
static char *command_with(const char *run, const char *given, struct error *err)
{
    char *text = NULL, *path = realpath(given, NULL);
    size_t n = 0;
    FILE *f = path ? open_memstream(&text, &n) : NULL;
    if (!f)
        error_set(err, ERROR_INPUT, errno, NULL, given, "%s", strerror(errno));
    for (const char *p = run; f && *p;) {
        const bool here = strncmp(p, "{}", 2) == 0;
        if (here)
            child_put_quoted(f, path);
        else
            fputc(*p, f); /* raw: for a shell, which must get the bytes unchanged */
        p += here ? 2 : 1;
    }
    if (f)
        fclose(f);
    free(path);
    return text;
}

/* Writes a program that does nothing and succeeds. */
static int write_empty_program(const char *path, struct error *err)
{
    static const char text[] = "#!/bin/sh\nexit 0\n";
    if (access(path, X_OK) == 0)
        return 0;
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    const bool written = fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1;
    const int code = errno;
    if (fd >= 0)
        close(fd);
    return written ? 0 : error_set(err, ERROR_OUTPUT, code, NULL, path, "%s", strerror(code));
}

int judge_program_check(const char *run, struct error *err)
{
    return strstr(run, "{}")
               ? 0
               : error_set(err, ERROR_USAGE, EINVAL, "--run 'check {}'", "--run",
                           "there is no {}, which stands for the file that is judged");
}

int judge_program_run(const char *run, const char *folder, const struct judge_plan *plan,
                      struct judge_result *result, struct error *err)
{
    char nothing[FOLDER];
    snprintf(nothing, sizeof nothing, "%.1000s/nothing", folder);
    const char *const path[3] = {plan->baseline, plan->candidate, nothing};
    char *command[3] = {NULL};
    struct judge_plan made = *plan;
    int rc = judge_program_check(run, err);
    if (rc == 0)
        rc = write_empty_program(nothing, err);
    for (int i = 0; i < 3 && rc == 0; i++) {
        command[i] = command_with(run, path[i], err);
        rc = command[i] ? 0 : -err->code;
    }
    made.baseline = command[0];
    made.candidate = command[1];
    if (rc == 0)
        rc = judge_programs(&made, command[2], &program_limits_usual, result, err);
    for (int i = 0; i < 3; i++)
        free(command[i]);
    return rc;
}
