#include "backends/profiler/profiler_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/order.h"

enum { DEPTH = 8 };

void run_folder_name(char out[4096], const char *path)
{
    char cwd[4096];
    if (*path == '/' || !getcwd(cwd, sizeof cwd))
        snprintf(out, 4096, "%s", path);
    else
        snprintf(out, 4096, "%.2000s/%.2000s", strcmp(cwd, "/") == 0 ? "" : cwd, path);
    for (size_t n = strlen(out); n > 1 && out[n - 1] == '/'; n--)
        out[n - 1] = '\0';
}

/* Empties a folder. Links are removed, not followed. */
static int empty_run_folder(int fd, int depth)
{
    DIR *d = fdopendir(fd);
    int code = d ? 0 : errno;
    if (!d)
        close(fd);
    for (const struct dirent *e = d ? readdir(d) : NULL; e && code == 0; e = readdir(d)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (unlinkat(dirfd(d), e->d_name, 0) == 0)
            continue;
        int below = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below < 0 || depth == 0) {
            code = below < 0 ? errno : ELOOP;
            if (below >= 0)
                close(below);
            break;
        }
        code = empty_run_folder(below, depth - 1);
        if (code == 0 && unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR) != 0)
            code = errno;
    }
    if (d)
        closedir(d);
    return code;
}

static int remove_old_folder(const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int code = fd < 0 ? errno : empty_run_folder(fd, DEPTH * 2);
    if (code == 0 && rmdir(path) != 0)
        code = errno;
    return code ? error_set(err, ERROR_OUTPUT, code, NULL, path, "cannot be replaced: %s",
                            strerror(code))
                : 0;
}

int run_folder_make(char out[4096], const char *path, bool replace, struct error *err)
{
    struct stat st;
    run_folder_name(out, path);
    if (lstat(out, &st) == 0) {
        if (!replace)
            return error_set(err, ERROR_OUTPUT, EEXIST, "name another with -o, or use --replace",
                             path, "it is already there");
        if (!S_ISDIR(st.st_mode) || !gpu_run_is(out))
            return error_set(err, ERROR_OUTPUT, EEXIST, "remove it yourself, or name another", path,
                             "it is no folder that rooftop gpu profile made");
        int rc = remove_old_folder(out, err);
        if (rc != 0)
            return rc;
    }
    if (mkdir(out, 0700) != 0)
        return error_set(err, ERROR_OUTPUT, errno, NULL, path, "%s", strerror(errno));
    return 0;
}

struct files {
    struct gpu_run *run;
    struct run_pass *pass;
};

static void list_files(const struct files *to, int fd, const char *name, int depth)
{
    DIR *d = fdopendir(fd);
    if (!d)
        close(fd);
    for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        struct stat st;
        char path[4096];
        if (e->d_name[0] == '.' || to->pass->nfiles == GPU_RUN_FILES_MAX ||
            strlen(name) + strlen(e->d_name) + 2 > sizeof path ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", name, e->d_name);
        if (S_ISREG(st.st_mode))
            to->pass->files[to->pass->nfiles++] = arena_strdup(&to->run->memory, path);
        int below = S_ISDIR(st.st_mode) && depth > 0
                        ? openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                        : -1;
        if (below >= 0)
            list_files(to, below, path, depth - 1);
    }
    if (d)
        closedir(d);
}

void run_folder_list(struct gpu_run *r, struct run_pass *p, const char *folder)
{
    char path[8200];
    snprintf(path, sizeof path, "%s/%s", folder, p->name);
    p->files = arena_alloc(&r->memory, (GPU_RUN_FILES_MAX + 1) * sizeof *p->files);
    p->nfiles = 0;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        list_files(&(struct files){r, p}, fd, p->name, DEPTH);
    if (p->nfiles)
        qsort(p->files, p->nfiles, sizeof *p->files, order_texts);
}
