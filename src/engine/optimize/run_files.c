/* Reads the files of a run as untrusted ones: regular files only, and a limited number of bytes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "engine/optimize/optimize_impl.h"
#include "engine/optimize/run_look.h"

int run_open(const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    close(fd);
    return -EINVAL;
}

char *run_text(const char *path, size_t most, size_t *n, const char **why)
{
    const int fd = run_open(path);
    *n = 0;
    if (fd < 0) {
        *why = fd == -EINVAL ? "it is no file" : strerror(-fd);
        return NULL;
    }
    char *text = xcalloc(1, most + 2);
    ssize_t got = 1;
    while (*n <= most && (got = read(fd, text + *n, most + 1 - *n)) > 0)
        *n += (size_t)got;
    close(fd);
    *why = NULL;
    if (*n > most)
        *why = "it is too large";
    else if (got < 0)
        *why = "it cannot be read";
    if (*why) {
        free(text);
        return NULL;
    }
    text[*n] = '\0';
    return text;
}

/* --- folders --- */

struct found {
    char name[RUN_NAME];
    struct timespec changed;
};

static int later_first(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->changed.tv_sec != y->changed.tv_sec)
        return x->changed.tv_sec < y->changed.tv_sec ? 1 : -1;
    if (x->changed.tv_nsec != y->changed.tv_nsec)
        return x->changed.tv_nsec < y->changed.tv_nsec ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* Whether a file begins as each line of a log does. */
static bool is_log(const char *path)
{
    static const char start[] = "{\"schema\":\"" OPTIMIZE_SCHEMA "\"";
    char text[sizeof start - 1];
    const int fd = run_open(path);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : -1;
    if (fd >= 0)
        close(fd);
    return n == (ssize_t)sizeof text && memcmp(text, start, sizeof text) == 0;
}

static bool has_run_ending(const char *name, size_t n)
{
    static const char end[] = ".optimize";
    return n >= sizeof end && strcmp(name + n - (sizeof end - 1), end) == 0;
}

/* --folder may have given the folder any name: its log identifies it. */
static bool has_log(const char *folder, const char *name, struct found *out)
{
    char path[RUN_PATH];
    struct stat st;
    const size_t n = strlen(name);
    if (n >= sizeof out->name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
        snprintf(path, sizeof path, "%s/%s/log.jsonl", folder, name) >= (int)sizeof path ||
        lstat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
        (!has_run_ending(name, n) && !is_log(path)))
        return false;
    memcpy(out->name, name, n + 1);
    out->changed = st.st_mtim;
    return true;
}

/* Keeps the newest: once there are twice as many as are shown, the older half is dropped. */
size_t run_folders(const char *folder, char names[RUN_FOLDERS][RUN_NAME], size_t *n)
{
    struct found *list = xcalloc((size_t)2 * RUN_FOLDERS, sizeof *list);
    const struct dirent *e;
    size_t all = 0, kept = 0;
    DIR *d = opendir(folder);
    while (d && (e = readdir(d)) != NULL)
        if (e->d_type != DT_REG && has_log(folder, e->d_name, &list[kept])) {
            all++;
            if (++kept < (size_t)2 * RUN_FOLDERS)
                continue;
            qsort(list, kept, sizeof *list, later_first);
            kept = RUN_FOLDERS;
        }
    if (d)
        closedir(d);
    qsort(list, kept, sizeof *list, later_first);
    *n = kept < RUN_FOLDERS ? kept : RUN_FOLDERS;
    for (size_t i = 0; i < *n; i++)
        memcpy(names[i], list[i].name, sizeof list[i].name);
    free(list);
    return all;
}

/* --- one record --- */

static char *source_of(const char *run, const char *source, uint32_t number, size_t *n,
                       struct run_detail *d)
{
    const char *last = strrchr(source, '/'), *why = NULL;
    char path[RUN_PATH];
    if (snprintf(path, sizeof path, "%s/%04u/%s", run, number, last ? last + 1 : source) >=
        (int)sizeof path)
        return NULL;
    char *text = run_text(path, PROPOSAL_BYTES, n, &why);
    if (!text)
        snprintf(d->why, sizeof d->why, "%.200s: %.100s", path, why);
    return text;
}

/* What changed, as a unified diff. */
static char *diff_of(const char *run, const char *source, const struct optimize_record *r,
                     struct run_detail *d)
{
    const char *last = strrchr(source, '/');
    size_t n_before = 0, n_after = 0, n = 0;
    char *before = source_of(run, source, r->base, &n_before, d), *diff = NULL;
    char *after = before ? source_of(run, source, r->number, &n_after, d) : NULL;
    FILE *out = after ? open_memstream(&diff, &n) : NULL;
    if (out) {
        line_diff_write(out, last ? last + 1 : source, before, n_before, after, n_after);
        fclose(out);
    }
    free(before);
    free(after);
    return diff;
}

struct run_detail *run_detail_read(const char *run, const char *source,
                                   const struct optimize_record *r, char *line)
{
    struct run_detail *d = xcalloc(1, sizeof *d);
    const char *ignored;
    char path[RUN_PATH];
    size_t n;
    d->line = line;
    d->diff = diff_of(run, source, r, d);
    if (snprintf(path, sizeof path, "%s/%04u/build.txt", run, r->number) < (int)sizeof path)
        d->messages = run_text(path, RUN_LINE, &n, &ignored);
    return d;
}

void run_detail_free(struct run_detail *d)
{
    if (d) {
        free(d->line);
        free(d->messages);
        free(d->diff);
    }
    free(d);
}
