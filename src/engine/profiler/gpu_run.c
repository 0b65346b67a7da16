#include "engine/profiler/gpu_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANIFEST_MAX = 16 << 20 };

static const char *const kinds[RUN_KINDS] = {"base", "counters", "att", "export"};
static const char *const states[RUN_STATES] = {"planned", "running", "complete", "failed",
                                               "interrupted"};

const char *run_kind_name(enum run_kind k)
{
    return kinds[k];
}

const char *run_state_name(enum run_state s)
{
    return states[s];
}

void gpu_run_free(struct gpu_run *r)
{
    arena_free(&r->memory);
    *r = (struct gpu_run){0};
}

static void path_in(char out[4200], const char *folder, const char *name)
{
    size_t n = strlen(folder);
    snprintf(out, 4200, "%.4000s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
}

bool gpu_run_is(const char *folder)
{
    char path[4200];
    struct stat st;
    path_in(path, folder, GPU_RUN_FILE);
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool gpu_run_data(const char *file)
{
    static const char *const endings[] = {".db", ".sqlite", ".csv"};
    size_t n = strlen(file);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t k = strlen(endings[i]);
        if (n > k && strcmp(file + n - k, endings[i]) == 0)
            return true;
    }
    return false;
}

const char **gpu_run_pass_files(struct gpu_run *r, const char *folder, const struct run_pass *p,
                                uint32_t *n)
{
    const char **list = arena_alloc(&r->memory, (p->nfiles + 1u) * sizeof *list);
    *n = 0;
    for (uint32_t i = 0; i < p->nfiles; i++)
        if (gpu_run_data(p->files[i]))
            list[(*n)++] = arena_printf(&r->memory, "%s/%s", folder, p->files[i]);
    return list;
}

const char **gpu_run_files(struct gpu_run *r, const char *folder, enum run_kind kind, uint32_t *n)
{
    uint32_t all = 0, of_pass;
    for (uint32_t i = 0; i < r->npasses; i++)
        all += r->passes[i].nfiles;
    const char **list = arena_alloc(&r->memory, (all + 1u) * sizeof *list);
    *n = 0;
    for (uint32_t i = 0; i < r->npasses; i++) {
        if (r->passes[i].kind != kind)
            continue;
        const char **some = gpu_run_pass_files(r, folder, &r->passes[i], &of_pass);
        for (uint32_t k = 0; k < of_pass; k++)
            list[(*n)++] = some[k];
    }
    return list;
}

static int cannot_read(const char *path, int code, struct error *err)
{
    return error_set(err, ERROR_INPUT, code, NULL, path, "%s", strerror(code));
}

int gpu_run_read(struct gpu_run *out, const char *folder, struct error *err)
{
    char path[4200];
    struct stat st;
    *out = (struct gpu_run){0};
    path_in(path, folder, GPU_RUN_FILE);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > MANIFEST_MAX) {
        int code = fd < 0 ? errno : EFBIG;
        if (fd >= 0)
            close(fd);
        return cannot_read(path, code, err);
    }
    size_t size = (size_t)st.st_size, done = 0;
    char *text = xcalloc(1, size + 1);
    ssize_t n = 0;
    while (done < size && (n = read(fd, text + done, size - done)) > 0)
        done += (size_t)n;
    int code = n < 0 ? errno : 0;
    close(fd);
    int rc = code ? cannot_read(path, code, err) : gpu_run_parse(out, text, done, path, err);
    free(text);
    return rc;
}

static int cannot_write(const char *path, int code, struct error *err)
{
    return error_set(err, ERROR_OUTPUT, code,
                     code == ENOSPC ? "make room, then profile again" : NULL, path, "%s",
                     strerror(code));
}

static int write_manifest_bytes(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        text += n;
        size -= (size_t)n;
    }
    return fsync(fd) != 0 && errno != EINVAL ? errno : 0;
}

int gpu_run_put(const char *path, const char *text, struct error *err)
{
    char temp[4300];
    snprintf(temp, sizeof temp, "%.4200s.new", path);
    int fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return cannot_write(path, errno, err);
    int code = write_manifest_bytes(fd, text, strlen(text));
    if (close(fd) != 0 && code == 0)
        code = errno;
    if (code == 0 && rename(temp, path) != 0)
        code = errno;
    if (code != 0)
        unlink(temp);
    return code ? cannot_write(path, code, err) : 0;
}

int gpu_run_write(const struct gpu_run *r, const char *folder, struct error *err)
{
    char path[4200];
    path_in(path, folder, GPU_RUN_FILE);
    char *text = gpu_run_json(r);
    int rc = gpu_run_put(path, text, err);
    free(text);
    return rc;
}
