#include "cli/judge/judge_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/print.h"
#include "base/temporary.h"
#include "base/words.h"
#include "cli/bench/bench.h"
#include "cli/run/build_command.h"
#include "cli/run/signals.h"

static const double BUILD_LIMIT_S = 120;

bool judge_is_source(const char *path, const char *sources)
{
    const char *dot = strrchr(path, '.');
    return dot && words_have(sources, dot);
}

int judge_files_open(struct judge_files *f, const char *extension, struct error *err)
{
    const char *tmp = getenv("TMPDIR");
    char folder[JUDGE_PATH - TEMPORARY_MORE], made[sizeof f->folder] = "";
    snprintf(folder, sizeof folder, "%.400s/judge", tmp && *tmp ? tmp : "/tmp");
    f->lock = temporary_folder(folder, made, sizeof made);
    memcpy(f->folder, made, sizeof made);
    if (f->lock < 0)
        return error_set(err, ERROR_OUTPUT, -f->lock, "TMPDIR names another folder", folder,
                         "no folder can be made: %s", strerror(-f->lock));
    for (int i = 0; i < 2; i++)
        snprintf(f->object[i], sizeof f->object[i], "%s/%s%s", made, i ? "candidate" : "baseline",
                 extension);
    return 0;
}

void judge_files_remove(const struct judge_files *f)
{
    if (!*f->folder)
        return;
    temporary_remove_folder(f->folder); /* also removes what else the build left there */
    close(f->lock);
}

int judge_files_make(const struct judge_files *f, const struct judge_options *own, int side,
                     const char *sources, const char *usual, struct judge_refusal *refused,
                     struct error *err)
{
    const char *path = side ? own->candidate : own->baseline;
    struct build_command b = {.ok = true};
    struct stat st;
    if (access(path, R_OK) != 0 || stat(path, &st) != 0)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode)) /* a pipe may never end, and a device has no end */
        return error_set(err, ERROR_INPUT, EINVAL, NULL, path, "it is no regular file");
    if (!judge_is_source(path, sources)) {
        if (build_command_copy(path, f->object[side]))
            return 0;
        return error_set(err, ERROR_INPUT, EIO, NULL, path, "it cannot be copied, or is empty");
    }
    build_command_run(&b, own->build ? own->build : usual, path, f->object[side], BUILD_LIMIT_S,
                      &signals_caught);
    if (b.ok && access(f->object[side], R_OK) == 0)
        return 0;
    print_lines(stderr, b.output);
    if (*b.output && b.output[strlen(b.output) - 1] != '\n')
        fputc('\n', stderr);
    if (side == 1)
        return judge_refuse(refused, GUARD_BUILD, "it does not build: %.60s",
                            b.ok ? "the command made no {out}" : b.status);
    return error_set(err, ERROR_INPUT, EINVAL,
                     "--build names the command; {source} and {out} stand "
                     "for the files",
                     path, "the baseline does not build: %.60s",
                     b.ok ? "the command made no {out}" : b.status);
}

static int allow_guards(bool allow[JUDGE_GUARDS], const char *list, struct error *err)
{
    char name[64];
    for (const char *at = list; at && *at;) {
        const size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        const enum judge_guard g = judge_guard_named(name);
        if (g == JUDGE_NO_GUARD)
            return error_set(err, ERROR_USAGE, EINVAL, "docs/JUDGE.md lists the guards", "--allow",
                             "there is no guard '%s'", name);
        allow[g] = true;
        at += n + (at[n] == ',');
    }
    return 0;
}

int judge_read_limits(const struct judge_options *own, double *margin, double *confidence,
                      bool allow[JUDGE_GUARDS], struct error *err)
{
    int rc = bench_percent("--margin", own->margin, 0.01, margin, err);
    if (rc == 0)
        rc = bench_confidence(own->confidence, confidence, err);
    return rc ? rc : allow_guards(allow, own->allow, err);
}
