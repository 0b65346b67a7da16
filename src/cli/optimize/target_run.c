/* A program that a command checks (engine/judge/program.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cli/judge/judge_files.h"
#include "cli/judge/judge_program.h"
#include "cli/optimize/target.h"
#include "engine/value/text_file.h"

enum { CHECK_MOST = 64 << 20 };

struct program_target {
    const char *run;
    const bool *allow;
    bool cpu_time;
    struct judge_files files; /* the program that does nothing */
};

static int judge(void *state, const struct target_trial *t, struct target_judgement *out,
                 struct error *err)
{
    const struct program_target *p = state;
    struct judge_plan plan;
    struct judge_result r = {.verdict = JUDGE_NOT_DECIDED};
    target_plan(&plan, t, p->allow);
    plan.cpu_time = p->cpu_time;
    const int rc = judge_program_run(p->run, p->files.folder, &plan, &r, err);
    if (rc == 0)
        target_take(out, &r);
    return rc;
}

/* Hashes the command and the files that its words name, because another check is another target. */
static uint64_t check_hash(const char *run)
{
    uint64_t h = hash_text(0, run);
    char *words = xstrdup(run), *save = NULL;
    for (char *w = strtok_r(words, " \t\n;&|'\"", &save); w;
         w = strtok_r(NULL, " \t\n;&|'\"", &save)) {
        struct stat st;
        struct error ignored = ERROR_INIT;
        char *text = NULL;
        size_t n = 0;
        if (stat(w, &st) == 0 && S_ISREG(st.st_mode) &&
            text_file_read_most(&text, &n, w, CHECK_MOST, &ignored) == 0)
            h = hash_bytes(h, text, n);
        free(text);
    }
    free(words);
    return h;
}

static int program_open(struct optimize_target *out, const struct options *o, const bool *allow,
                        struct error *err)
{
    const struct optimize_options *own = o->own;
    struct program_target *p = xcalloc(1, sizeof *p);
    p->run = own->run;
    p->allow = allow;
    p->cpu_time = own->cpu_time;
    *out = (struct optimize_target){.name = "run",
                                    .function = own->function ? own->function : "",
                                    .object = ".bin",
                                    .build = "${CC:-cc} -O2 -o {out} {source} -lm",
                                    .hash = check_hash(p->run) + p->cpu_time,
                                    .state = p,
                                    .judge = judge};
    const int rc = judge_program_check(p->run, err);
    return rc ? rc : judge_files_open(&p->files, ".bin", err);
}

static void program_close(void *state)
{
    const struct program_target *p = state;
    if (p)
        judge_files_remove(&p->files);
    free(state);
}

const struct target_ops target_run = {.open = program_open, .close = program_close};
