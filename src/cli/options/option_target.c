/* Makes the target (what is watched) from options: splits lists and checks them against this
 * machine. */
#include "cli/options/options.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/processes/family.h"
#include "base/cpu_list.h"
#include "base/env.h"
#include "base/owner.h"

static int too_many(struct error *err, const char *what, const char *which)
{
    return error_set(err, ERROR_USAGE, EINVAL, "watch their cgroup instead: --cgroup PATH", what,
                     "%smore than %d processes", which, TARGET_MAX_PIDS);
}

static int bad_target(struct error *err, const char *what, const char *help, const char *why,
                      const char *text)
{
    return error_set(err, ERROR_USAGE, EINVAL, help, what, why, text);
}

/* --- processes --- */

static bool is_process_file_there(const char *below_proc)
{
    char path[256];
    return access(env_path(path, sizeof path, "/proc/%s", below_proc), F_OK) == 0;
}

/* Checks that /proc shows the process, and says why if it does not. */
static int check_process(const char *pid, struct error *err)
{
    if (!is_process_file_there("stat") && !is_process_file_there("self/stat") &&
        !is_process_file_there(pid))
        return error_set(err, ERROR_UNSUPPORTED, ENOENT, "sudo mount -t proc proc /proc", "--pid",
                         "no process can be found, as /proc is not mounted");
    if (owner_process_hidden((pid_t)strtol(pid, NULL, 10)))
        return error_set(
            err, ERROR_PERMISSION, EPERM,
            "run rooftop as its user, with sudo, or in the group that /proc's gid= names", "--pid",
            "process %s is another user's, and /proc hides it (hidepid)", pid);
    return is_process_file_there(pid)
               ? 0
               : error_set(err, ERROR_TARGET, ESRCH, "the process list of rooftop shows what runs",
                           "--pid", "there is no process %s", pid);
}

static int add_pid(struct target *t, const char *text, size_t len, struct error *err)
{
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)(len < sizeof word ? len : sizeof word - 1), text);
    char *end;
    errno = 0;
    long v = strtol(word, &end, 10);
    if (len >= sizeof word || end == word || *end || errno || v <= 0 || v > INT32_MAX ||
        strchr("+ \t", word[0]))
        return bad_target(err, "--pid", "give process numbers, as in 12,13",
                          "'%s' is not a process number", word);
    for (size_t i = 0; i < t->npids; i++)
        if (t->pids[i] == (pid_t)v)
            return 0;
    if (t->npids == TARGET_MAX_PIDS)
        return too_many(err, "--pid", "");
    snprintf(word, sizeof word, "%ld", v); /* without zeros before it */
    int rc = check_process(word, err);
    if (rc != 0)
        return rc;
    target_add_pid(t, (pid_t)v);
    return 0;
}

static int target_pids(const char *list, struct target *t, struct error *err)
{
    t->kind = TARGET_PIDS;
    for (const char *p = list;; p++) {
        size_t n = strcspn(p, ",");
        int rc = add_pid(t, p, n, err);
        if (rc != 0)
            return rc;
        p += n;
        if (!*p)
            return 0;
    }
}

enum target_children options_children(const char *word)
{
    if (word && strcmp(word, "all") == 0)
        return CHILDREN_ALL;
    return word && strcmp(word, "none") == 0 ? CHILDREN_NONE : CHILDREN_NEW;
}

static int target_children(const char *word, struct target *t, struct error *err)
{
    t->children = options_children(word);
    t->nnamed = t->npids;
    if (t->children == CHILDREN_ALL && family_add(t) > 0)
        return too_many(err, "--children", "with them ");
    return 0;
}

/* --- CPUs --- */

static int check_online(const bool *cpus, struct error *err)
{
    char path[256], line[4096] = "";
    bool online[TARGET_MAX_CPUS] = {false};
    FILE *f = fopen(env_path(path, sizeof path, "/sys/devices/system/cpu/online"), "re");
    if (!f)
        return 0; /* not known here; the kernel will refuse CPUs that are offline */
    const bool ok = fgets(line, sizeof line, f) && cpu_list_parse(line, online) > 0;
    fclose(f);
    line[strcspn(line, "\n")] = 0;
    for (int i = 0; ok && i < TARGET_MAX_CPUS; i++) {
        if (!cpus[i] || online[i])
            continue;
        char help[320];
        snprintf(help, sizeof help, "online are %.200s", line);
        return error_set(err, ERROR_TARGET, ENODEV, help, "--cpu", "CPU %d is not online", i);
    }
    return 0;
}

static int target_cpus(const char *list, struct target *t, struct error *err)
{
    t->cpus = xcalloc(TARGET_MAX_CPUS, sizeof *t->cpus);
    if (cpu_list_parse(list, t->cpus) <= 0 || strchr(list, '\n'))
        return bad_target(err, "--cpu", "give CPU numbers below 4096 and ranges, as in 0-3,8",
                          "'%s' is not a list of CPUs", list);
    return check_online(t->cpus, err);
}

/* --- cgroup --- */

static int target_cgroup(const char *path, struct target *t, struct error *err)
{
    char full[4096], below[4096];
    const char *sep = path[0] == '/' ? "" : "/sys/fs/cgroup/";
    snprintf(below, sizeof below, "%s%s", sep, path);
    env_path(full, sizeof full, "%s", below);
    struct stat st;
    t->kind = TARGET_CGROUP;
    if (stat(full, &st) != 0 && path[0] == '/') {
        /* a path as /proc/PID/cgroup has it: "/user.slice" */
        env_path(full, sizeof full, "/sys/fs/cgroup%s", path);
    }
    if (stat(full, &st) != 0)
        return error_set(err, ERROR_TARGET, errno, "/proc/PID/cgroup tells where a process belongs",
                         "--cgroup", "no cgroup '%s': %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return error_set(err, ERROR_TARGET, ENOTDIR, "name the directory", "--cgroup",
                         "'%s' is not a directory", path);
    t->cgroup = xstrdup(full);
    return 0;
}

/* --- the whole target --- */

static void target_command(char **argv, struct target *t)
{
    size_t n = 0;
    while (argv[n])
        n++;
    t->kind = TARGET_COMMAND;
    t->argv = xcalloc(n + 1, sizeof *t->argv);
    for (size_t i = 0; i < n; i++)
        t->argv[i] = xstrdup(argv[i]);
}

/* Finds the library that replaces NVTX and rocTX in the target: beside the rooftop that was built,
 * or where rooftop is installed. */
static int target_ranges(struct target *t, struct error *err)
{
    static const char *const places[] = {"ranges", "../lib/rooftop/ranges"};
    char exe[4096], path[4400];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(exe, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - exe), exe, places[i]);
        if (access(path, X_OK) == 0) {
            t->ranges = realpath(path, NULL);
            return 0;
        }
    }
    return error_set(err, ERROR_UNSUPPORTED, ENOENT, "make install puts it there", "--ranges",
                     "the library that records them is not in ../lib/rooftop/ranges");
}

int options_target(const struct options *o, struct target *t, struct error *err)
{
    *t = (struct target){.kind = TARGET_HOST};
    int rc = 0;
    if (o->argv)
        target_command(o->argv, t);
    else if (o->pids && (rc = target_pids(o->pids, t, err)) == 0)
        rc = target_children(o->children, t, err);
    else if (o->cgroup)
        rc = target_cgroup(o->cgroup, t, err);
    if (rc == 0 && o->cpulist)
        rc = target_cpus(o->cpulist, t, err);
    if (rc == 0 && o->ranges && o->argv)
        rc = target_ranges(t, err);
    if (o->events)
        t->event_spec = xstrdup(o->events);
    t->sets = o->ports ? SETS_WITH_PORTS : SETS_USUAL;
    if (o->brick_counters && o->argv)
        t->brick_counters = xstrdup(o->brick_counters);
    if (o->usdt)
        t->usdt = xstrdup(o->usdt);
    if (rc == 0 && o->brick_counters && !o->argv)
        rc = bad_target(err, "--brick-counters", "give a command after --",
                        "'%s' is for a program that rooftop starts", o->brick_counters);
    if (rc == 0 && o->usdt && !o->argv && !o->pids)
        rc = bad_target(err, "--usdt", "give one: -p PID, or a command after --",
                        "'%s' needs a program to watch", o->usdt);
    t->spool_output = o->argv && !o->headless;
    if (rc != 0)
        target_free(t);
    return rc;
}
