#include "support/replayed.h"
#include "support/gpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void read_file(const char *path, char *to, size_t size)
{
    FILE *f = fopen(path, "re");
    const size_t n = f ? fread(to, 1, size - 1, f) : 0;
    to[n] = '\0';
    if (f)
        fclose(f);
    unlink(path);
}

void replayed(struct replayed *r, const char *settings, const char *words, ...)
{
    char line[4096], command[6000], out[64], err[64];
    va_list list;
    va_start(list, words);
    vsnprintf(line, sizeof line, words, list);
    va_end(list);
    snprintf(out, sizeof out, "/tmp/rooftop-replayed-%d.out", getpid());
    snprintf(err, sizeof err, "/tmp/rooftop-replayed-%d.err", getpid());
    snprintf(command, sizeof command, "%s timeout 120 %s replay %s >%s 2>%s", settings,
             getenv("ROOFTOP_PROGRAM"), line, out, err);
    const int status = system(command);
    r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    read_file(out, r->out, sizeof r->out);
    read_file(err, r->err, sizeof r->err);
}

void replayed_expect(const struct replayed *r, int status, const char *text)
{
    if (r->status != status || (text && !strstr(r->out, text) && !strstr(r->err, text)))
        gpu_fail(__FILE__, __LINE__, "status %d, wanted %d and '%s'\n%.4000s%s", r->status, status,
                 text ? text : "", r->out, r->err);
}

double replayed_number(const struct replayed *r, const char *key)
{
    const char *at = strstr(r->out, key);
    if (!at)
        gpu_fail(__FILE__, __LINE__, "no '%s' in\n%.4000s", key, r->out);
    return strtod(at + strlen(key), NULL);
}
