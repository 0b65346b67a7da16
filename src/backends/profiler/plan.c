/*
 * Builds command lines. Sources for rocprofv3: its help and rocprofiler-sdk's
 * source/bin/rocprofv3.py (ROCm 7.0; an input file *.txt has a line "pmc: A B" for each job; with
 * one job the tool replaces itself by the command, so that its exit status is the command's). For
 * nsys: the User Guide of Nsight Systems, "CLI Profile Command Switch Options" and "CLI Export
 * Command Switch Options".
 */
#include "backends/profiler/profiler_impl.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "engine/profiler/gpu_counters.h"

enum { OPTIONS_MAX = 24 };

struct command_line {
    const char *words[OPTIONS_MAX];
    size_t n;
};

static void add_tool_word(struct command_line *l, const char *text)
{
    if (l->n < OPTIONS_MAX)
        l->words[l->n++] = text;
}

static size_t count_argv_words(char **argv)
{
    size_t n = 0;
    while (argv[n])
        n++;
    return n;
}

/* Joins the options and the command. */
static const char **argv_of(const struct profiler_plan *p, const struct command_line *l,
                            bool command)
{
    size_t n = command ? count_argv_words(p->request->argv) : 0;
    const char **argv = arena_alloc(&p->run->memory, (l->n + n + 1) * sizeof *argv);
    memcpy(argv, l->words, l->n * sizeof *argv);
    for (size_t i = 0; i < n; i++)
        argv[l->n + i] = arena_strdup(&p->run->memory, p->request->argv[i]);
    return argv;
}

static struct run_pass *add_run_pass(const struct profiler_plan *p, const char *name,
                                     enum run_kind kind)
{
    struct run_pass *new = &p->run->passes[p->run->npasses++];
    *new = (struct run_pass){
        .name = arena_strdup(&p->run->memory, name), .kind = kind, .wait_status = -1};
    return new;
}

static const char *copy_tool_path(const struct profiler_plan *p)
{
    return arena_strdup(&p->run->memory, *p->tool->path ? p->tool->path : tool_name(p->tool->kind));
}

static const char *make_run_path(const struct profiler_plan *p, const char *name, const char *rest)
{
    return arena_printf(&p->run->memory, "%s/%s%s", p->folder, name, rest);
}

int plan_check(const struct profiler_plan *p, struct error *err)
{
    regex_t re;
    const struct profiler_request *r = p->request;
    bool rocm = p->tool->kind == TOOL_ROCPROFV3;
    if (!rocm && ((r->counters && strcmp(r->counters, "none") != 0) || r->att))
        return error_set(err, ERROR_USAGE, EINVAL, "leave it out, or use --tool rocprofv3",
                         r->att ? "--att" : "--counters", "nsys cannot do this");
    /* rocprofv3 expands these: "%pid%", "$env{X}" */
    if (rocm && strpbrk(p->folder, "%$"))
        return error_set(err, ERROR_USAGE, EINVAL, "name another with -o", r->folder,
                         "rocprofv3 takes %% and $ in a folder's name for something else");
    if (r->att && (!*r->att || regcomp(&re, r->att, REG_EXTENDED | REG_NOSUB) != 0))
        return error_set(err, ERROR_USAGE, EINVAL, "as in --att 'gemm|softmax'", "--att",
                         "'%.80s' is no regular expression", r->att);
    if (r->att)
        regfree(&re);
    if (r->gpu && rocm && !gpu_family(r->gpu))
        return error_set(err, ERROR_USAGE, EINVAL, gpu_architectures(), "--gpu",
                         "the counters of '%.40s' are not known", r->gpu);
    return rocm && r->counters ? gpu_counters_check(r->counters, err) : 0;
}

static void plan_nsys(const struct profiler_plan *p)
{
    struct command_line profile = {.n = 0}, export = {.n = 0};
    struct run_pass *base = add_run_pass(p, "base", RUN_BASE),
                    *sqlite = add_run_pass(p, "export", RUN_EXPORT);
    add_tool_word(&profile, copy_tool_path(p));
    add_tool_word(&profile, "profile");
    add_tool_word(&profile, "--trace=cuda,nvtx,osrt");
    add_tool_word(&profile, "--force-overwrite=true");
    add_tool_word(&profile, "--output");
    add_tool_word(&profile, make_run_path(p, base->name, "/report"));
    base->argv = argv_of(p, &profile, true);
    add_tool_word(&export, copy_tool_path(p));
    add_tool_word(&export, "export");
    add_tool_word(&export, "--type");
    add_tool_word(&export, "sqlite");
    add_tool_word(&export, "--force-overwrite=true");
    add_tool_word(&export, "--output");
    add_tool_word(&export, make_run_path(p, sqlite->name, "/report.sqlite"));
    add_tool_word(&export, make_run_path(p, base->name, "/report.nsys-rep"));
    sqlite->argv = argv_of(p, &export, false);
}

static void format_and_folder(const struct profiler_plan *p, struct command_line *l,
                              const char *name)
{
    add_tool_word(l, "--output-format");
    add_tool_word(l, p->tool->rocpd ? "rocpd" : "csv");
    add_tool_word(l, "--output-directory");
    add_tool_word(l, make_run_path(p, name, ""));
    add_tool_word(l, "--");
}

void plan_base(const struct profiler_plan *p)
{
    static const char *const traces[] = {"--kernel-trace", "--hip-trace", "--hsa-trace",
                                         "--memory-copy-trace", "--marker-trace"};
    struct command_line l = {.n = 0};
    if (p->tool->kind == TOOL_NSYS) {
        plan_nsys(p);
        return;
    }
    struct run_pass *base = add_run_pass(p, "base", RUN_BASE);
    add_tool_word(&l, copy_tool_path(p));
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++)
        add_tool_word(&l, traces[i]);
    format_and_folder(p, &l, base->name);
    base->argv = argv_of(p, &l, true);
}

static const char *pmc_file(const struct profiler_plan *p, const struct counter_pass *c)
{
    const char *text = "pmc:";
    for (uint32_t i = 0; i < c->n; i++)
        text = arena_printf(&p->run->memory, "%s %s", text, c->names[i]);
    return arena_printf(&p->run->memory, "%s\n", text);
}

int plan_counters(const struct profiler_plan *p, const char *arch, struct error *err)
{
    struct counter_plan plan;
    const char *list = p->request->counters ? p->request->counters : "roofline";
    if (p->tool->kind == TOOL_NSYS)
        return 0;
    int rc = gpu_counters_plan(&plan, &p->run->memory, list, arch, err);
    for (uint32_t i = 0; rc == 0 && i < plan.npasses; i++) {
        char name[32];
        struct command_line l = {.n = 0};
        snprintf(name, sizeof name, "counters-%u", i + 1);
        struct run_pass *c = add_run_pass(p, name, RUN_COUNTERS);
        c->counters = plan.passes[i].names;
        c->ncounters = plan.passes[i].n;
        c->input = pmc_file(p, &plan.passes[i]);
        c->input_path = make_run_path(p, name, ".txt");
        add_tool_word(&l, copy_tool_path(p));
        add_tool_word(&l, "--input");
        add_tool_word(&l, c->input_path);
        format_and_folder(p, &l, name);
        c->argv = argv_of(p, &l, true);
    }
    p->run->gpu = arena_strdup(&p->run->memory, arch);
    return rc;
}

void plan_att(const struct profiler_plan *p)
{
    struct command_line l = {.n = 0};
    if (!p->request->att || p->tool->kind == TOOL_NSYS)
        return;
    struct run_pass *att = add_run_pass(p, "att", RUN_ATT);
    add_tool_word(&l, copy_tool_path(p));
    add_tool_word(&l, "--att");
    add_tool_word(&l, "--kernel-include-regex");
    add_tool_word(&l, arena_strdup(&p->run->memory, p->request->att));
    add_tool_word(&l, "--output-directory");
    add_tool_word(&l, make_run_path(p, att->name, ""));
    add_tool_word(&l, "--");
    att->argv = argv_of(p, &l, true);
}
