#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "backends/bench/bench_impl.h"
#include "base/env.h"

enum { LINE = 512 };

/* Opens a regular file, else NULL. The folders above may belong to others, and a pipe there may
 * block. */
static FILE *open_regular(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    FILE *f = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
    if (!f && fd >= 0)
        close(fd);
    return f;
}

/* The first line of a file, without its end; "" if it cannot be read. */
static void read_place_line(char *out, size_t size, const char *path)
{
    FILE *f = open_regular(path);
    *out = '\0';
    if (f && fgets(out, (int)size, f))
        out[strcspn(out, "\n")] = '\0';
    if (f)
        fclose(f);
}

static void read_system_line(char *out, size_t size, const char *path)
{
    char real[PATH_MAX];
    read_place_line(out, size, env_path(real, sizeof real, "%s", path));
}

/* Copies the value of the first line of /proc/cpuinfo with this key, or "", as on arm64. */
static void read_cpu_key(char *out, size_t size, const char *key)
{
    char path[PATH_MAX], line[LINE];
    FILE *f = fopen(env_path(path, sizeof path, "/proc/cpuinfo"), "re");
    size_t n = strlen(key);
    *out = '\0';
    while (f && !*out && fgets(line, sizeof line, f)) {
        char *value = strchr(line, ':');
        if (strncmp(line, key, n) != 0 || !value)
            continue;
        value += 1 + strspn(value + 1, " \t");
        value[strcspn(value, "\n")] = '\0';
        snprintf(out, size, "%s", value);
    }
    if (f)
        fclose(f);
}

/* --- the commit --- */

/* Reads the commit of a ref from its file, or from a line of packed-refs. */
static void read_ref(char *out, size_t size, const char *git, const char *ref)
{
    char path[PATH_MAX], line[LINE];
    snprintf(path, sizeof path, "%.2000s/%.1000s", git, ref);
    read_place_line(out, size, path);
    if (*out)
        return;
    snprintf(path, sizeof path, "%.2000s/packed-refs", git);
    FILE *f = open_regular(path);
    while (f && !*out && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *name = strchr(line, ' ');
        if (name && strcmp(name + 1, ref) == 0)
            snprintf(out, size, "%.*s", (int)(name - line), line);
    }
    if (f)
        fclose(f);
}

/* Reads a ref of a work tree, which has its own HEAD but shares other refs: "commondir" names their
 * folder. */
static void read_shared_ref(char *out, size_t size, const char *git, const char *ref)
{
    char path[PATH_MAX], line[LINE], common[PATH_MAX];
    read_ref(out, size, git, ref);
    snprintf(path, sizeof path, "%.4000s/commondir", git);
    read_place_line(line, sizeof line, path);
    if (*out || !*line)
        return;
    if (*line == '/')
        snprintf(common, sizeof common, "%s", line);
    else
        snprintf(common, sizeof common, "%.3500s/%s", git, line);
    read_ref(out, size, common, ref);
}

/* Finds commit and branch. If .git is a file, its "gitdir: PATH" names the folder (work trees,
 * submodules). */
static void find_commit(struct bench_conditions *out)
{
    char here[PATH_MAX], git[PATH_MAX], line[LINE];
    if (!getcwd(here, sizeof here - 8))
        return;
    for (;;) {
        snprintf(git, sizeof git, "%.4000s/.git", here);
        read_place_line(line, sizeof line, git);
        if (strncmp(line, "gitdir: /", 9) == 0)
            snprintf(git, sizeof git, "%s", line + 8);
        else if (strncmp(line, "gitdir: ", 8) == 0)
            snprintf(git, sizeof git, "%.3500s/%s", here, line + 8);
        char head[PATH_MAX];
        snprintf(head, sizeof head, "%.4000s/HEAD", git);
        read_place_line(line, sizeof line, head);
        char *end = strrchr(here, '/');
        if (*line || !end)
            break;
        *end = '\0';
    }
    if (strncmp(line, "ref: ", 5) == 0) {
        char ref[LINE];
        snprintf(ref, sizeof ref, "%s", line + 5);
        if (strncmp(ref, "refs/heads/", 11) == 0)
            snprintf(out->branch, sizeof out->branch, "%.95s", ref + 11);
        read_shared_ref(line, sizeof line, git, ref);
    }
    if (strlen(line) >= 40 && strspn(line, "0123456789abcdef") == strlen(line))
        snprintf(out->commit, sizeof out->commit, "%.40s", line);
}

/* --- the machine --- */

static void fill_turbo(char *out, size_t size)
{
    char text[16];
    read_system_line(text, sizeof text, "/sys/devices/system/cpu/cpufreq/boost");
    if (*text)
        snprintf(out, size, "%s", *text == '1' ? "on" : "off");
    read_system_line(text, sizeof text, "/sys/devices/system/cpu/intel_pstate/no_turbo");
    if (*text)
        snprintf(out, size, "%s", *text == '0' ? "on" : "off");
}

void read_bench_conditions(struct bench_conditions *out)
{
    struct utsname u;
    *out = (struct bench_conditions){0};
    find_commit(out);
    if (uname(&u) == 0) {
        snprintf(out->host, sizeof out->host, "%s", u.nodename);
        snprintf(out->kernel, sizeof out->kernel, "%.60s %.20s", u.release, u.machine);
    }
    read_cpu_key(out->cpu, sizeof out->cpu, "model name");
    read_cpu_key(out->microcode, sizeof out->microcode, "microcode");
    read_system_line(out->governor, sizeof out->governor,
                     "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    read_system_line(out->smt, sizeof out->smt, "/sys/devices/system/cpu/smt/active");
    if (*out->smt)
        snprintf(out->smt, sizeof out->smt, "%s", *out->smt == '1' ? "on" : "off");
    fill_turbo(out->turbo, sizeof out->turbo);
}
