#include "program.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "own_home.h"
#include "skip.h"

static char *slurp(FILE *f, size_t *len)
{
    char *text = NULL;
    rewind(f);
    FILE *m = open_memstream(&text, len);
    for (int c; (c = fgetc(f)) != EOF;)
        fputc(c, m);
    fclose(m);
    fclose(f);
    return text;
}

void program_run(struct program *p, const char *shell)
{
    char bin[PATH_MAX];
    FILE *out = tmpfile(), *err = tmpfile();
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fileno(out), 1);
        dup2(fileno(err), 2);
        if (program_rooftop() && realpath(program_rooftop(), bin))
            setenv("BIN", bin, 1);
        own_home();
        alarm(150); /* exec keeps the alarm: a program that hangs fails the test */
        execl("/bin/bash", "bash", "-c", shell, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    p->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    p->out = slurp(out, &p->out_len);
    p->err = slurp(err, &p->err_len);
}

void program_expect(struct program *p, const char *shell, int status)
{
    program_needed();
    program_run(p, shell);
    if (p->status != status)
        fail_msg("%s: exit %d, not %d\n%.4000s\n%s", shell, p->status, status, p->out, p->err);
}

void program_sees(const struct program *p, const char *text)
{
    if (!strstr(p->out, text))
        fail_msg("no '%s' in\n%s", text, p->out);
}

void program_answers(const char *shell, int status, const char *out, const char *err)
{
    struct program p;
    program_expect(&p, shell, status);
    program_sees(&p, out);
    if (!strstr(p.err, err))
        fail_msg("%s: \"%s\" is not in \"%s\"", shell, err, p.err);
    program_free(&p);
}

void program_lacks(const struct program *p, const char *text)
{
    if (strstr(p->out, text))
        fail_msg("'%s' in\n%s", text, p->out);
}

void program_free(struct program *p)
{
    free(p->out);
    free(p->err);
    memset(p, 0, sizeof *p);
}

size_t program_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

void program_needed(void)
{
    if (!program_rooftop())
        skip_because("rooftop was not built");
}

const char *program_rooftop(void)
{
    static char path[4096];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/rooftop", build ? build : "build/release");
    return access(path, X_OK) == 0 ? path : NULL;
}
