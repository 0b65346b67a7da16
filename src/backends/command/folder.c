#include "backends/command/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"

#define PLACE          "/dev/shm"
#define NAME           "rooftop-run-"
#define RANGES_LIBRARY "libroctx64.so.4" /* one file for all its names */

void brick_folder_remove(const char *path)
{
    DIR *dir = *path ? opendir(path) : NULL;
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir))
        unlinkat(dirfd(dir), e->d_name, 0); /* refuses "." and ".." */
    if (dir)
        closedir(dir);
    if (*path)
        rmdir(path);
}

static void sweep(void)
{
    DIR *dir = opendir(PLACE);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        int pid;
        struct stat st;
        char path[300];
        if (sscanf(e->d_name, NAME "%d-", &pid) != 1 || kill(pid, 0) == 0 || errno != ESRCH ||
            fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode) ||
            st.st_uid != geteuid())
            continue;
        snprintf(path, sizeof path, PLACE "/%s", e->d_name);
        brick_folder_remove(path);
    }
    if (dir)
        closedir(dir);
}

bool brick_folder_make(char out[64])
{
    sweep();
    snprintf(out, 64, PLACE "/" NAME "%d-XXXXXX", (int)getpid());
    if (mkdtemp(out))
        return true;
    out[0] = '\0';
    return false;
}

char **brick_folder_environment(const char *path, const char *ranges)
{
    enum { SET = 3 };
    size_t n = 0, kept = 0;
    const char *folders = env_get("LD_LIBRARY_PATH");
    size_t room = strlen(path) + 2 * (ranges ? strlen(ranges) : 0) +
                  (folders ? strlen(folders) : 0) + SET * 64;
    while (environ[n])
        n++;
    char **all = xcalloc(1, (n + SET + 1) * sizeof *all + room),
         *text = (char *)(all + n + SET + 1);
    char *end = text + room;
    for (size_t i = 0; i < n; i++)
        if (!ranges || strncmp(environ[i], "LD_LIBRARY_PATH=", 16) != 0)
            all[kept++] = environ[i];
    if (*path && !env_get("ROOFTOP_BRICKS")) {
        all[kept++] = text;
        text += snprintf(text, (size_t)(end - text), "ROOFTOP_BRICKS=%s", path) + 1;
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
