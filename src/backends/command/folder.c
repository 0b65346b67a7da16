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

#define PLACE "/dev/shm"
#define NAME  "rooftop-run-"

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

char **brick_folder_environment(const char *path)
{
    size_t n = 0;
    while (environ[n])
        n++;
    char **all = xcalloc(1, (n + 2) * sizeof *all + 96), *set = (char *)(all + n + 2);
    memcpy(all, environ, n * sizeof *all);
    if (*path && !env_get("ROOFTOP_BRICKS")) {
        snprintf(set, 96, "ROOFTOP_BRICKS=%s", path);
        all[n] = set;
    }
    return all;
}
