/* Runs one pass after another, and decides what to do after a failure. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/common/launch.h"
#include "backends/profiler/profiler_impl.h"
#include "base/env.h"
#include "engine/trace/trace.h"

static void tell_profiler_line(const struct profiler_plan *p, const char *line)
{
    if (p->request->tell)
        p->request->tell(p->request->ctx, line);
}

static void begin_gpu_run(const struct profiler_plan *p)
{
    struct gpu_run *r = p->run;
    char cwd[4096];
    size_t n = 0;
    while (p->request->argv[n])
        n++;
    *r = (struct gpu_run){.tool = tool_name(p->tool->kind)};
    r->generator = arena_strdup(&r->memory, p->request->generator);
    r->tool_path = arena_strdup(&r->memory, p->tool->path);
    r->tool_version = arena_strdup(&r->memory, p->tool->version);
    r->directory = arena_strdup(&r->memory, getcwd(cwd, sizeof cwd) ? cwd : "");
    r->gpu = "";
    r->state = RUN_RUNNING;
    r->argv = arena_alloc(&r->memory, (n + 1) * sizeof *r->argv);
    for (size_t i = 0; i < n; i++)
        r->argv[i] = arena_strdup(&r->memory, p->request->argv[i]);
    r->passes = arena_alloc(&r->memory, GPU_RUN_PASSES_MAX * sizeof *r->passes);
}

static int plan_run(struct gpu_run *out, const struct profiler_request *r, struct error *err)
{
    struct profiler_tool tool;
    char folder[4096];
    struct profiler_plan p = {out, r, &tool, folder};
    *out = (struct gpu_run){0};
    int rc = tool_find(&tool, r->tool, err);
    if (rc != 0 && err->kind == ERROR_USAGE)
        return rc;
    if (rc != 0) /* still show what would be run on another machine */
        tool = (struct profiler_tool){
            .kind = strcmp(r->tool, "nsys") == 0 ? TOOL_NSYS : TOOL_ROCPROFV3, .rocpd = true};
    run_folder_name(folder, r->folder);
    begin_gpu_run(&p);
    out->state = RUN_PLANNED;
    rc = plan_check(&p, err);
    if (rc == 0)
        plan_base(&p);
    if (rc == 0 && r->gpu)
        rc = plan_counters(&p, r->gpu, err);
    if (rc == 0)
        plan_att(&p);
    return rc;
}

/* --- one pass --- */

static void say_how_it_ended(const struct profiler_plan *p, struct run_pass *pass)
{
    char line[512];
    int status = pass->wait_status;
    if (pass->state == RUN_COMPLETE && status == 0)
        return;
    if (pass->state == RUN_COMPLETE)
        snprintf(line, sizeof line, "%s: the command ended with status %d", pass->name,
                 WEXITSTATUS(status));
    else
        snprintf(line, sizeof line, "%s failed: %s", pass->name, pass->why);
    tell_profiler_line(p, line);
}

/* Whether there is a decoded trace: without the decoder's library there are only raw files. */
static bool has_trace(const struct run_pass *pass)
{
    static const char ending[] = "/code.json";
    enum { LENGTH = sizeof ending - 1 };
    for (uint32_t i = 0; i < pass->nfiles; i++) {
        size_t n = strlen(pass->files[i]);
        if (n > LENGTH && strcmp(pass->files[i] + n - LENGTH, ending) == 0)
            return true;
    }
    return false;
}

/* Whether a pass wrote the result of its kind. */
static bool has_pass_result(const struct profiler_plan *p, const struct run_pass *pass)
{
    uint32_t data;
    if (pass->kind == RUN_ATT)
        return has_trace(pass);
    if (pass->kind == RUN_BASE && p->tool->kind == TOOL_NSYS)
        return pass->nfiles > 0; /* its report is exported later */
    gpu_run_pass_files(p->run, p->folder, pass, &data);
    return data > 0;
}

/* Says why a pass failed; NULL if it did not. The results decide, because the exit status may be
 * the command's own. */
static const char *why_failed(const struct profiler_plan *p, const struct run_pass *pass)
{
    struct arena *memory = &p->run->memory;
    int status = pass->wait_status;
    if (WIFSIGNALED(status))
        return arena_printf(memory, "killed by signal %d", WTERMSIG(status));
    if (has_pass_result(p, pass))
        return NULL;
    if (WEXITSTATUS(status))
        return arena_printf(memory, "%s ended with status %d and left no result", p->run->tool,
                            WEXITSTATUS(status));
    if (pass->kind == RUN_ATT)
        return "no decoded trace: did a kernel match, is librocprof-trace-decoder installed?";
    return arena_printf(memory, "%s left no result", p->run->tool);
}

static void judge_pass(const struct profiler_plan *p, struct run_pass *pass)
{
    pass->why = launch_stopped() ? "interrupted" : why_failed(p, pass);
    pass->state = pass->why ? RUN_FAILED : RUN_COMPLETE;
    if (launch_stopped())
        pass->state = RUN_INTERRUPTED;
}

/* Runs a pass. An error is rooftop's own: a manifest that cannot be written, a tool that is
 * missing. */
static int run_tool_pass(const struct profiler_plan *p, uint32_t i, struct error *err)
{
    struct run_pass *pass = &p->run->passes[i];
    char line[512], path[8200];
    int n = snprintf(line, sizeof line, "pass %u of %u, %s", i + 1, p->run->npasses, pass->name);
    if (pass->ncounters)
        snprintf(line + n, sizeof line - (size_t)n, ": %u counters", pass->ncounters);
    tell_profiler_line(p, line);
    snprintf(path, sizeof path, "%s/%s", p->folder, pass->name);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return error_set(err, ERROR_OUTPUT, errno, NULL, path, "%s", strerror(errno));
    int rc = pass->input ? gpu_run_put(pass->input_path, pass->input, err) : 0;
    pass->state = RUN_RUNNING;
    pass->started_ns = env_wall_ns();
    if (rc == 0)
        rc = gpu_run_write(p->run, p->folder, err);
    if (rc != 0)
        return rc;
    rc = launch_run((char *const *)pass->argv, p->request->out_fd, &pass->wait_status);
    if (rc != 0)
        return error_set(err, ERROR_UNSUPPORTED, -rc, NULL, pass->argv[0], "cannot be run: %s",
                         strerror(-rc));
    pass->ended_ns = env_wall_ns();
    run_folder_list(p->run, pass, p->folder);
    judge_pass(p, pass);
    say_how_it_ended(p, pass);
    return gpu_run_write(p->run, p->folder, err);
}

/* --- all passes --- */

/* Finds the architecture on which most dispatches ran; "" if none ran. */
static int read_base_arch(const struct profiler_plan *p, char arch[64], struct error *err)
{
    struct trace t = {0};
    uint32_t n, best = 0;
    enum run_kind kind = p->tool->kind == TOOL_NSYS ? RUN_EXPORT : RUN_BASE;
    const char **files = gpu_run_files(p->run, p->folder, kind, &n);
    arch[0] = '\0';
    int rc = n ? trace_open(&t, files, n, err) : -ENODATA;
    for (uint32_t i = 0; rc == 0 && i < t.nagents; i++) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < t.ndispatches; k++)
            count += trace_dispatch_at(&t, k).agent == i;
        if (count > best && t.agents[i].name != GRAPH_NONE)
            snprintf(arch, 64, "%s", graph_text(t.calls, t.agents[i].name));
        best = count > best ? count : best;
    }
    trace_free(&t);
    return rc;
}

static int base_is_lost(const struct profiler_plan *p, struct error *err)
{
    const struct run_pass *last = &p->run->passes[p->run->npasses - 1], *bad = p->run->passes;
    while (bad < last && bad->state == RUN_COMPLETE)
        bad++;
    return error_set(err, ERROR_UNSUPPORTED, ENODATA,
                     bad->kind == RUN_EXPORT
                         ? "export it on a machine where nsys can: nsys export --type sqlite REPORT"
                         : "does the command use a GPU, and does it run to its end by itself?",
                     p->request->folder, "%s: there is nothing to open",
                     bad->why ? bad->why : "no result");
}

static int run_from(const struct profiler_plan *p, uint32_t first, struct error *err)
{
    int rc = 0;
    for (uint32_t i = first; i < p->run->npasses && rc == 0 && !launch_stopped(); i++)
        rc = run_tool_pass(p, i, err);
    return rc;
}

static int run_base(const struct profiler_plan *p, char arch[64], struct error *err)
{
    int rc = run_tool_pass(p, 0, err);
    if (rc == 0 && p->run->passes[0].nfiles)
        rc = run_from(p, 1, err);
    if (rc != 0 || launch_stopped())
        return rc;
    rc = read_base_arch(p, arch, err);
    return rc == -ENODATA ? base_is_lost(p, err) : rc;
}

/* Plans the other passes. A list of counters that does not fit this GPU costs the counters, not the
 * profile. */
static void plan_the_rest(const struct profiler_plan *p, const char *arch)
{
    struct error why = ERROR_INIT;
    char text[1024], line[1100];
    if (!*arch && p->tool->kind == TOOL_ROCPROFV3)
        tell_profiler_line(p, "no kernel ran on a GPU: nothing to count");
    else if (plan_counters(p, arch, &why) != 0) {
        snprintf(line, sizeof line, "no counters: %s", error_format(&why, text, sizeof text));
        tell_profiler_line(p, line);
    }
    plan_att(p);
}

static enum run_state find_run_state(const struct gpu_run *r, bool stopped, int rc)
{
    if (stopped)
        return RUN_INTERRUPTED;
    if (rc != 0)
        return RUN_FAILED;
    for (uint32_t i = 0; i < r->npasses; i++)
        if (r->passes[i].state != RUN_COMPLETE)
            return RUN_FAILED;
    return RUN_COMPLETE;
}

static int run_tool_passes(const struct profiler_plan *p, struct error *err)
{
    char arch[64] = "";
    plan_base(p);
    uint32_t first = p->run->npasses;
    int rc = run_base(p, arch, err);
    /* a command that was killed would be killed again */
    if (rc == 0 && !launch_stopped() && p->run->passes[0].state == RUN_COMPLETE) {
        plan_the_rest(p, p->request->gpu ? p->request->gpu : arch);
        rc = run_from(p, first, err);
    }
    p->run->state = find_run_state(p->run, launch_stopped() != 0, rc);
    struct error late = ERROR_INIT;
    int written = gpu_run_write(p->run, p->folder, rc == 0 ? err : &late);
    return rc == 0 ? written : rc;
}

static int run_all(struct gpu_run *out, const struct profiler_request *r, int *stopped,
                   struct error *err)
{
    struct profiler_tool tool;
    char folder[4096];
    struct profiler_plan p = {out, r, &tool, folder};
    *out = (struct gpu_run){0};
    *stopped = 0;
    int rc = tool_check_command(r->argv[0], err);
    if (rc == 0)
        rc = tool_find(&tool, r->tool, err);
    if (rc != 0)
        return rc;
    run_folder_name(folder, r->folder);
    rc = plan_check(&p, err);
    if (rc != 0)
        return rc;
    launch_begin();
    tool_ask_version(&tool);
    begin_gpu_run(&p);
    rc = launch_stopped() ? 0 : run_folder_make(folder, r->folder, r->replace, err);
    if (rc == 0 && !launch_stopped())
        rc = run_tool_passes(&p, err);
    *stopped = launch_stopped();
    launch_end();
    return rc;
}

static void probe(probe_sink sink, void *ctx)
{
    static const char *const ids[TOOL_KINDS] = {"profile.rocprofv3", "profile.nsys"};
    static const char *const labels[TOOL_KINDS] = {"profiles of AMD GPUs",
                                                   "profiles of NVIDIA GPUs"};
    for (int k = 0; k < TOOL_KINDS; k++) {
        struct profiler_tool t;
        struct error err = ERROR_INIT;
        bool found = tool_find(&t, tool_name((enum tool_kind)k), &err) == 0;
        sink(ctx, &(struct probe_finding){.id = ids[k],
                                          .label = labels[k],
                                          .state = found ? PROBE_YES : PROBE_NO,
                                          .why = found ? t.path : err.why,
                                          .enable = found ? NULL : err.help});
    }
}

const struct profiler_ops profiler = {.probe = probe, .plan = plan_run, .run = run_all};
