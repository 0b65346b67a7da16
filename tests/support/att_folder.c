#include "support/att_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA "tests/data/att"

static void run(const char *fmt, ...)
{
    char line[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (system(line) != 0) /* NOLINT: a fixed line over names made here */
        fail_msg("%s", line);
}

void att_folder_make(struct att_folder *f, int copy)
{
    snprintf(f->dir, sizeof f->dir, "/tmp/rooftop-att-XXXXXX");
    if (!mkdtemp(f->dir))
        fail_msg("no folder");
    snprintf(f->trace, sizeof f->trace, "%s/%s", f->dir, ATT_DISPATCH);
    if (copy)
        run("cp -r %s/. %s && chmod -R u+w %s", DATA, f->dir, f->dir);
    else
        mkdir(f->trace, 0755);
}

void att_folder_write(const struct att_folder *f, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", f->trace, name);
    if (!text) {
        assert_int_equal(unlink(path), 0);
        return;
    }
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
    fclose(out);
}

void att_folder_change(const struct att_folder *f, const char *name, const char *from,
                       const char *to)
{
    char path[256], text[16384], *changed = NULL;
    snprintf(path, sizeof path, "%s/%s", f->trace, name);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    char *at = strstr(text, from);
    if (!at) {
        fail_msg("%s has no '%s'", name, from);
        return;
    }
    *at = '\0';
    assert_true(asprintf(&changed, "%s%s%s", text, to, at + strlen(from)) > 0);
    att_folder_write(f, name, changed);
    free(changed);
}

void att_folder_remove(struct att_folder *f)
{
    run("rm -rf %s", f->dir);
}
