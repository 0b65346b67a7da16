#include "backends/profiler/profiler_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/common/launch.h"
#include "base/arena.h"
#include "base/child.h"
#include "base/env.h"
#include "base/toolbox.h"

enum { ANSWER = 16384, ANSWER_MS = 20000 };

static const struct {
    const char *name;
    enum toolbox_row row;
} tools[TOOL_KINDS] = {
    [TOOL_ROCPROFV3] = {"rocprofv3", TOOLBOX_ROCPROFV3},
    [TOOL_NSYS] = {"nsys", TOOLBOX_NSYS},
};

const char *tool_name(enum tool_kind k)
{
    return tools[k].name;
}

static bool find_tool(enum tool_kind k, char out[4096])
{
    struct toolbox_tool *found = xcalloc(TOOLBOX_MAX, sizeof *found);
    size_t n = toolbox_list(tools[k].row, found);
    snprintf(out, 4096, "%s", n ? found[0].path : "");
    free(found);
    return n;
}

static int refuse_missing_tool(const char *what, bool amd, bool nvidia, struct error *err)
{
    char why[256];
    snprintf(why, sizeof why, "not found in PATH%s%s", amd ? ", ROCM_PATH, /opt/rocm*" : "",
             nvidia ? ", CUDA_HOME, /usr/local/cuda, /opt/nvidia/nsight-systems" : "");
    char help[320];
    snprintf(help, sizeof help, "%s%s%s; install it, or add its folder to PATH",
             amd ? toolbox_help(TOOLBOX_ROCPROFV3) : "", amd && nvidia ? ", " : "",
             nvidia ? toolbox_help(TOOLBOX_NSYS) : "");
    return error_set(err, ERROR_UNSUPPORTED, ENOENT, help, what, "%s", why);
}

int tool_find(struct profiler_tool *t, const char *name, struct error *err)
{
    char driver[256], nsys[4096];
    *t = (struct profiler_tool){.rocpd = true};
    if (strcmp(name, "rocprofv3") == 0)
        return find_tool(t->kind = TOOL_ROCPROFV3, t->path)
                   ? 0
                   : refuse_missing_tool(name, true, false, err);
    if (strcmp(name, "nsys") == 0)
        return find_tool(t->kind = TOOL_NSYS, t->path)
                   ? 0
                   : refuse_missing_tool(name, false, true, err);
    if (strcmp(name, "auto") != 0)
        return error_set(err, ERROR_USAGE, EINVAL, "use rocprofv3, nsys or auto", "--tool",
                         "'%.40s' is no profiler that is known", name);
    bool amd = find_tool(TOOL_ROCPROFV3, t->path), nvidia = find_tool(TOOL_NSYS, nsys);
    if (!amd && !nvidia)
        return refuse_missing_tool("rocprofv3 and nsys", true, true, err);
    bool kfd = access(env_path(driver, sizeof driver, "/sys/class/kfd"), F_OK) == 0;
    if (nvidia && (!amd || !kfd)) {
        t->kind = TOOL_NSYS;
        snprintf(t->path, sizeof t->path, "%s", nsys);
    }
    return 0;
}

int tool_check_command(const char *name, struct error *err)
{
    char what[192], path[4096];
    int code = child_look_up(name, path, sizeof path);
    if (code == 0)
        return 0;
    snprintf(what, sizeof what, "run '%.120s'", name);
    return error_set(err, ERROR_TARGET, code,
                     code == ENOENT ? "check its name and PATH; everything after -- is the command"
                                    : "is it a program, and may you execute it (chmod +x)?",
                     what, "%s", code == ENOENT ? "command not found" : strerror(code));
}

/* Copies the text after a key, such as " rocm_version: 6.4.1"; "" if the key is missing. */
static void copy_tool_key(const char *text, const char *key, char *out, size_t size)
{
    const char *at = strstr(text, key);
    out[0] = '\0';
    if (!at)
        return;
    at += strlen(key);
    at += strspn(at, ": \t");
    snprintf(out, size, "%.*s", (int)strcspn(at, "\r\n"), at);
}

void tool_ask_version(struct profiler_tool *t)
{
    char *argv[] = {t->path, "--version", NULL}, answer[ANSWER], rocm[64];
    if (launch_capture(argv, answer, sizeof answer, ANSWER_MS) != 0)
        return;
    if (t->kind == TOOL_NSYS) {
        copy_tool_key(answer, "version", t->version, sizeof t->version);
        return;
    }
    copy_tool_key(answer, " version", t->version, sizeof t->version);
    copy_tool_key(answer, "rocm_version", rocm, sizeof rocm);
    /* Databases exist since ROCm 7.0; an unknown version is assumed to be newer. */
    t->rocpd = atoi(rocm) == 0 || atoi(rocm) >= 7;
    if (*rocm)
        snprintf(t->version + strlen(t->version), sizeof t->version - strlen(t->version),
                 "%sROCm %.40s", *t->version ? ", " : "", rocm);
}
