#include "base/toolbox.h"

#include <errno.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/env.h"
#include "base/watch.h"

/* LLVM_NEWEST is newer than the newest version that exists. */
enum { LLVM_NEWEST = 30, ASKING_BYTES = 1 << 16, WORDS_MAX = 12 };
static const uint64_t ASKING_NS = 20000000000u;

struct row {
    const char *name;
    int oldest;           /* of the numbered names "name-OLDEST" to "name-30"; 0: there are none */
    const char *home;     /* the variable that names the installation folder; NULL: none */
    const char *roots[2]; /* patterns of other installation folders */
    const char *below;    /* the path in such a folder */
    bool path_first;      /* PATH is searched before the installation folders */
    const char *mark;     /* LLVM's tools: the text before the number in the answer to --version */
    int least;            /* the oldest version that is accepted; 0: every one */
    const char *why;      /* why older versions are refused */
    /* A command that succeeds if the tool knows a processor, which is added to the word "…=". */
    const char *ask[WORDS_MAX];
    const char *help;
};

/* /opt/rocm, usually a link to the version in use, sorts before /opt/rocm-6.4.0. */
#define IN_ROCM(path) .home = "ROCM_PATH", .roots = {"/opt/rocm*"}, .below = path
#define OF_LLVM       .oldest = 13, .mark = "LLVM version "
static const struct row rows[TOOLBOX_ROWS] = {
    /* It also runs its linker, ld.lld. Its list of targets names amdgcn even if it lacks newer
     * GPUs. */
    [TOOLBOX_CLANG] = {.name = "clang",
                       .oldest = 13,
                       IN_ROCM("/llvm/bin/clang"),
                       .path_first = true,
                       .mark = "clang version ",
                       .ask = {"--target=amdgcn-amd-amdhsa", "-mcpu=", "-nogpulib", "-x", "c",
                               "/dev/null", "-o", "/dev/null"},
                       .help = "install a newer clang with its linker (apt-get install clang-19 "
                               "lld-19), or ROCm with its compiler"},
    /* A build command names it, so no version is asked for. */
    [TOOLBOX_HIPCC] = {.name = "hipcc",
                       IN_ROCM("/bin/hipcc"),
                       .path_first = true,
                       .help = "hipcc is part of ROCm (package hipcc); or name a compiler with "
                               "--build"},
    /* Version 19 is the first that fails at a line that it does not know; older ones skip the line
     * (llvm-project, pull request 90474 of April 2024). For neoverse-n2, LLVM 14 has 5 cycles for a
     * multiplication that takes 2 in newer versions. */
    [TOOLBOX_LLVM_MCA] = {.name = "llvm-mca",
                          OF_LLVM,
                          .least = 19,
                          .why = "leave out lines that they do not know without an error, and "
                                 "lack models of newer cores",
                          .help = "install LLVM's tools, version 19 or newer (apt-get install "
                                  "llvm-19)"},
    [TOOLBOX_LLVM_MC] = {.name = "llvm-mc",
                         OF_LLVM,
                         .help = "install LLVM's tools (apt-get install llvm-19)"},
    [TOOLBOX_LLVM_OBJDUMP] = {.name = "llvm-objdump",
                              OF_LLVM,
                              IN_ROCM("/llvm/bin/llvm-objdump"),
                              .help = "install LLVM (apt-get install llvm-19), or ROCm with its "
                                      "compiler"},
    [TOOLBOX_OBJDUMP] = {.name = "objdump", .help = "install binutils or llvm"},
    [TOOLBOX_ROCPROFV3] = {.name = "rocprofv3",
                           IN_ROCM("/bin/rocprofv3"),
                           .path_first = true,
                           .help = "rocprofv3 is part of ROCm 6.2 and later (package "
                                   "rocprofiler-sdk)"},
    [TOOLBOX_NSYS] = {.name = "nsys",
                      .home = "CUDA_HOME",
                      .roots = {"/usr/local/cuda", "/opt/nvidia/nsight-systems/*"},
                      .below = "/bin/nsys",
                      .path_first = true,
                      .help = "nsys is part of Nsight Systems and of the CUDA toolkit"},
};

const char *toolbox_help(enum toolbox_row row)
{
    return rows[row].help;
}

/* --- where they are --- */

struct found {
    struct toolbox_tool *tools;
    size_t n;
};

static void add_tool_path(struct found *f, const char *name, const char *path)
{
    struct stat own, other;
    if (f->n >= TOOLBOX_MAX || stat(path, &own) != 0 || !S_ISREG(own.st_mode) ||
        access(path, X_OK) != 0)
        return;
    for (size_t i = 0; i < f->n; i++) /* a link to a listed tool is the same tool */
        if (stat(f->tools[i].path, &other) == 0 && own.st_ino == other.st_ino &&
            own.st_dev == other.st_dev)
            return;
    snprintf(f->tools[f->n].name, sizeof f->tools->name, "%s", name);
    snprintf(f->tools[f->n++].path, sizeof f->tools->path, "%s", path);
}

static int compare_newest_version(const void *a, const void *b)
{
    return strverscmp(*(char *const *)b, *(char *const *)a);
}

static void add_installed(struct found *f, const struct row *r)
{
    char path[PATH_MAX];
    const char *home = r->home ? env_get(r->home) : NULL;
    if (home && *home == '/' &&
        snprintf(path, sizeof path, "%s%s", home, r->below) < (int)sizeof path)
        add_tool_path(f, path, path);
    for (size_t i = 0; i < sizeof r->roots / sizeof *r->roots && r->roots[i]; i++) {
        glob_t g = {0};
        if (glob(env_path(path, sizeof path, "%s%s", r->roots[i], r->below), GLOB_NOSORT, NULL,
                 &g) == 0) {
            qsort(g.gl_pathv, g.gl_pathc, sizeof *g.gl_pathv, compare_newest_version);
            for (size_t k = 0; k < g.gl_pathc; k++)
                add_tool_path(f, g.gl_pathv[k], g.gl_pathv[k]);
        }
        globfree(&g);
    }
}

static void add_from_path(struct found *f, const struct row *r)
{
    char name[64], path[PATH_MAX];
    for (int version = LLVM_NEWEST; r->oldest && version >= r->oldest; version--) {
        snprintf(name, sizeof name, "%s-%d", r->name, version);
        if (child_find(name, path, sizeof path))
            add_tool_path(f, name, path);
    }
    if (child_find(r->name, path, sizeof path))
        add_tool_path(f, r->name, path);
}

size_t toolbox_list(enum toolbox_row row, struct toolbox_tool *out)
{
    struct found f = {.tools = out};
    if (rows[row].path_first)
        add_from_path(&f, &rows[row]);
    add_installed(&f, &rows[row]);
    if (!rows[row].path_first)
        add_from_path(&f, &rows[row]);
    return f.n;
}

/* --- what they can do --- */

int toolbox_version(enum toolbox_row row, const char *path, char *out, size_t size)
{
    const struct row *r = &rows[row];
    char *text = NULL, *const argv[] = {(char *)path, "--version", NULL};
    const char *at = NULL;
    int number = 0;
    if (size)
        *out = '\0';
    if (r->mark && child_run(argv, ASKING_NS, ASKING_BYTES, &text) == 0)
        at = strstr(text, r->mark);
    if (at) {
        at += strlen(r->mark);
        number = (int)strtol(at, NULL, 10);
        snprintf(out, size, "LLVM %.*s", (int)strspn(at, "0123456789."), at);
    }
    free(text);
    return number;
}

static bool knows_processor(const struct row *r, const char *path, const char *processor)
{
    char *argv[WORDS_MAX + 2] = {(char *)path}, word[128], *text = NULL;
    for (size_t i = 0; i < WORDS_MAX && r->ask[i]; i++) {
        size_t n = strlen(r->ask[i]);
        argv[i + 1] = (char *)r->ask[i];
        if (r->ask[i][n - 1] != '=')
            continue;
        snprintf(word, sizeof word, "%s%s", r->ask[i], processor);
        argv[i + 1] = word;
    }
    int code = child_run(argv, ASKING_NS, ASKING_BYTES, &text);
    free(text);
    return code == 0;
}

static int fail_missing(const struct row *r, struct error *err)
{
    char numbered[128] = "";
    if (r->oldest)
        snprintf(numbered, sizeof numbered, " (neither %s nor %s-%d to -%d)", r->name, r->name,
                 r->oldest, LLVM_NEWEST);
    return error_set(err, ERROR_UNSUPPORTED, ENOENT, r->help, r->name, "it is not installed%s",
                     numbered);
}

int toolbox_find(enum toolbox_row row, const char *processor, struct toolbox_tool *out,
                 struct error *err)
{
    const struct row *r = &rows[row];
    struct toolbox_tool *tools = xcalloc(TOOLBOX_MAX, sizeof *tools);
    char version[64], tried[160] = "";
    size_t n = toolbox_list(row, tools), i = 0, used = 0;
    bool old = false;
    for (; i < n; i++) {
        int number = toolbox_version(row, tools[i].path, version, sizeof version);
        bool new_enough = number >= r->least;
        if (new_enough && (!processor || knows_processor(r, tools[i].path, processor)))
            break;
        old |= !new_enough;
        if (used < sizeof tried)
            used +=
                (size_t)snprintf(tried + used, sizeof tried - used, "%s%s (%s)", used ? ", " : "",
                                 tools[i].name, *version ? version : "no version");
    }
    if (i < n)
        *out = tools[i];
    free(tools);
    if (n == 0)
        return fail_missing(r, err);
    if (i < n)
        return 0;
    if (watch_given_up())
        return error_set(err, ERROR_UNSUPPORTED, ECANCELED, NULL, r->name, "it was given up");
    if (old)
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, r->help, r->name,
                         "%s is too old: versions before %d %s", tried, r->least, r->why);
    return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, r->help, r->name,
                     "none here builds for %s; tried: %s", processor, tried);
}
