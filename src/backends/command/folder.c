#include "backends/command/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/temporary.h"

#define PLACE          "/dev/shm"
#define NAME           "rooftop-run-"
#define RANGES_LIBRARY "libroctx64.so.4" /* one file for all its names */

void brick_folder_remove(struct brick_folder *f)
{
    if (!*f->path)
        return;
    temporary_remove_folder(f->path);
    *f->path = '\0';
    if (f->lock >= 0)
        close(f->lock);
    f->lock = -1;
}

/* Takes the folder's lock, which ends with this process; -1: another process has it. */
static int take_lock(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool is_our_folder(int dir, const char *name)
{
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
           st.st_uid == geteuid();
}

static void remove_left_folders(void)
{
    DIR *dir = opendir(PLACE);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        int pid, lock;
        char path[300];
        if (sscanf(e->d_name, NAME "%d-", &pid) != 1 || kill(pid, 0) == 0 || errno != ESRCH ||
            !is_our_folder(dirfd(dir), e->d_name) || (lock = take_lock(dirfd(dir), e->d_name)) < 0)
            continue;
        snprintf(path, sizeof path, PLACE "/%s", e->d_name);
        temporary_remove_folder(path);
        close(lock);
    }
    if (dir)
        closedir(dir);
}

bool brick_folder_make(struct brick_folder *out)
{
    char made[sizeof PLACE "/new" + TEMPORARY_MORE];
    remove_left_folders();
    *out = (struct brick_folder){.lock = temporary_folder(PLACE "/new", made, sizeof made)};
    int failed = -out->lock;
    if (out->lock >= 0) {
        snprintf(out->path, sizeof out->path, PLACE "/" NAME "%d-%s", (int)getpid(),
                 strrchr(made, '-') + 1);
        if (rename(made, out->path) == 0)
            return true;
        failed = errno;
        rmdir(made);
        close(out->lock);
    }
    *out = (struct brick_folder){.lock = -1};
    errno = failed;
    return false;
}

/* Whether a setting of rooftop replaces this one. */
static bool is_replaced(const char *setting, const char *ranges, const char *counters)
{
    return (ranges && strncmp(setting, "LD_LIBRARY_PATH=", 16) == 0) ||
           (counters && strncmp(setting, "ROOFTOP_BRICK_COUNTERS=", 23) == 0);
}

char **brick_folder_environment(const char *path, const char *ranges, const char *counters)
{
    enum { SET = 4 };
    size_t n = 0, kept = 0;
    const char *folders = env_get("LD_LIBRARY_PATH");
    size_t room = strlen(path) + SET * 64;
    room += ranges ? 2 * strlen(ranges) : 0;
    room += folders ? strlen(folders) : 0;
    room += counters ? strlen(counters) : 0;
    while (environ[n])
        n++;
    char **all = xcalloc(1, (n + SET + 1) * sizeof *all + room),
         *text = (char *)(all + n + SET + 1);
    char *end = text + room;
    for (size_t i = 0; i < n; i++)
        if (!is_replaced(environ[i], ranges, counters))
            all[kept++] = environ[i];
    if (*path && !env_get("ROOFTOP_BRICKS")) {
        all[kept++] = text;
        text += snprintf(text, (size_t)(end - text), "ROOFTOP_BRICKS=%s", path) + 1;
    }
    if (counters) {
        all[kept++] = text;
        text += snprintf(text, (size_t)(end - text), "ROOFTOP_BRICK_COUNTERS=%s", counters) + 1;
    }
    if (ranges) {
        all[kept++] = text;
        text += snprintf(text, (size_t)(end - text), "LD_LIBRARY_PATH=%s%s%s", ranges,
                         folders && *folders ? ":" : "", folders ? folders : "") +
                1;
    }
    if (ranges && !env_get("NVTX_INJECTION64_PATH")) {
        all[kept++] = text;
        snprintf(text, (size_t)(end - text), "NVTX_INJECTION64_PATH=%s/" RANGES_LIBRARY, ranges);
    }
    return all;
}
