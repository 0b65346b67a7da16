#include "support/profile_runs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "skip.h"
#include "support/fake_profilers/fake.h"
#include "support/trace_look.h"

static char folder[] = "/tmp/rooftop-cli-profile-XXXXXX";

int runs_begin(void **state)
{
    (void)state;
    char tools[64], nvidia[64], path[8192], full[4096];
    const char *before = getenv("PATH");
    if (!before || !mkdtemp(folder))
        return -1;
    setenv("D", folder, 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    if (realpath("tests/data/att", full))
        setenv("FAKE_ATT", full, 1);
    snprintf(tools, sizeof tools, "%s/tools", folder);
    snprintf(nvidia, sizeof nvidia, "%s/nvidia", folder);
    if (mkdir(tools, 0777) != 0 || mkdir(nvidia, 0777) != 0)
        return -1;
    fake_profilers_link(tools, "rocprofv3");
    fake_profilers_link(nvidia, "nsys");
    snprintf(path, sizeof path, "%s:%s", tools, before);
    setenv("PLAIN_PATH", before, 1);
    setenv("PATH", path, 1);
    return 0;
}

int runs_end(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

void runs_expect(struct program *p, const char *line, int status)
{
    program_needed();
    program_run(p, line);
    if (p->status != status)
        fail_msg("%s: exit %d, not %d\n%s\n%s", line, p->status, status, p->out, p->err);
}

void runs_word(const char *text, const char *word)
{
    if (!strstr(text, word))
        fail_msg("no \"%s\" in:\n%s", word, text);
}

void runs_line(const char *line, int status, const char *word)
{
    struct program p;
    runs_expect(&p, line, status);
    runs_word(p.err, word);
    program_free(&p);
}

const char *runs_path(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

void runs_read(struct gpu_run *r, const char *name)
{
    struct error err = ERROR_INIT;
    if (gpu_run_read(r, runs_path(name), &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
}

void runs_assert_joined(const struct trace *t, const char *counter, const char *but)
{
    static const char *const names[] = {"", "axpy(float*)", "gemm(float*, float*)"};
    assert_int_equal(t->ndispatches, FAKE_DISPATCHES);
    for (uint32_t i = 0; i < t->ndispatches; i++) {
        const struct trace_dispatch own = trace_dispatch_at(t, i), *d = &own;
        const struct fake_dispatch *f = &fake_dispatches[d->id - 1];
        assert_int_equal(t->calls->start[d->node], 1000000 + f->start);
        assert_int_equal(t->calls->duration[d->node], f->end - f->start);
        double v = look_counter(t, d->node, counter);
        if (but && strcmp(names[f->kernel], but) == 0)
            assert_true(isnan(v));
        else if (v != fake_counter(counter, (int)d->id - 1))
            fail_msg("dispatch %d: %f", (int)d->id, v);
    }
}
