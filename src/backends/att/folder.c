#include "backends/att/att_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/order.h"
#include "base/watch.h"

enum { NAMES_MAX = 1 << 18, PLACES_MAX = 4096, CHUNK = 1 << 20 /* bytes between two checks */ };

static char *join_att_path(const char *dir, const char *name)
{
    size_t n = strlen(dir) + strlen(name) + 2;
    char *out = xcalloc(1, n);
    snprintf(out, n, "%s%s%s", dir, *dir && dir[strlen(dir) - 1] == '/' ? "" : "/", name);
    return out;
}

/* --- files --- */

static int refuse_folder(struct error *err, const char *path, int code)
{
    return error_set(err, ERROR_INPUT, code, NULL, path, "%s",
                     code == ENOENT ? "it is not there" : strerror(code));
}

static int read_att_text(struct att_text *out, int fd, uint64_t most, struct error *err)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return refuse_folder(err, out->path, errno);
    if (!S_ISREG(st.st_mode))
        return error_set(err, ERROR_INPUT, EINVAL, NULL, out->path, "no regular file");
    if ((uint64_t)st.st_size > most)
        return error_set(err, ERROR_INPUT, EFBIG, NULL, out->path,
                         "%lld bytes; %llu at most are read", (long long)st.st_size,
                         (unsigned long long)most);
    out->text = xcalloc(1, (size_t)st.st_size + 1);
    while (out->size < (size_t)st.st_size) {
        size_t rest = (size_t)st.st_size - out->size;
        if (watch_given_up())
            return watch_check(out->path, err);
        ssize_t n = read(fd, out->text + out->size, rest < CHUNK ? rest : CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return refuse_folder(err, out->path, errno);
        if (n == 0)
            break;
        out->size += (size_t)n;
    }
    return 0;
}

int att_text_read(struct att_text *out, const char *dir, const char *name, uint64_t most,
                  struct error *err)
{
    *out = (struct att_text){.path = join_att_path(dir, name)};
    int fd = open(out->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int rc = fd < 0 ? refuse_folder(err, out->path, errno) : read_att_text(out, fd, most, err);
    if (fd >= 0)
        close(fd);
    if (rc != 0)
        att_text_free(out);
    return rc;
}

void att_text_free(struct att_text *t)
{
    free(t->text);
    free(t->path);
    *t = (struct att_text){0};
}

int att_names_read(struct att_names *out, const char *dir, struct error *err)
{
    *out = (struct att_names){0};
    DIR *d = opendir(dir);
    if (!d)
        return refuse_folder(err, dir, errno);
    for (struct dirent *e = readdir(d); e && out->n < NAMES_MAX; e = readdir(d)) {
        if (e->d_name[0] == '.')
            continue;
        out->list = att_grow(out->list, out->n, sizeof *out->list);
        out->list[out->n++] = xstrdup(e->d_name);
    }
    closedir(d);
    if (out->n)
        qsort(out->list, out->n, sizeof *out->list, order_texts);
    return 0;
}

void att_names_free(struct att_names *n)
{
    for (uint32_t i = 0; i < n->n; i++)
        free(n->list[i]);
    free(n->list);
    *n = (struct att_names){0};
}

/* --- dispatches --- */

static bool has_att_file(const char *dir, const char *name)
{
    struct stat st;
    char *path = join_att_path(dir, name);
    bool there = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    free(path);
    return there;
}

/* Whether a folder holds one dispatch: it has a file that only such folders have. */
static bool is_trace(const char *dir)
{
    return has_att_file(dir, "filenames.json") || has_att_file(dir, "occupancy.json") ||
           has_att_file(dir, "code.json");
}

static void add_att_dispatch(struct att_places *out, const char *name, const char *dir,
                             const char *stats)
{
    struct att_place p = {.name = xstrdup(name), .agent = ATT_UNKNOWN, .dispatch = ATT_UNKNOWN};
    const char *numbers = strstr(name, "agent_");
    unsigned agent, dispatch;
    if (numbers && sscanf(numbers, "agent_%9u_dispatch_%9u", &agent, &dispatch) == 2) {
        p.agent = agent;
        p.dispatch = dispatch;
    }
    p.dir = dir ? xstrdup(dir) : NULL;
    p.stats = stats ? xstrdup(stats) : NULL;
    out->list = att_grow(out->list, out->n, sizeof *out->list);
    out->list[out->n++] = p;
}

/* Converts "stats_NAME.csv" to NAME; false: another form. */
static bool stats_name(const char *file, char *out, size_t size)
{
    size_t n = strlen(file);
    if (n <= 10 || n - 10 >= size || strncmp(file, "stats_", 6) != 0 ||
        strcmp(file + n - 4, ".csv") != 0)
        return false;
    memcpy(out, file + 6, n - 10);
    out[n - 10] = '\0';
    return true;
}

/* Adds the folder of one dispatch; its statistics are next to it. */
static void add_att_folder(struct att_places *out, const char *parent, const char *name,
                           const char *dir)
{
    char file[300];
    snprintf(file, sizeof file, "stats_%.250s.csv", name);
    char *stats = has_att_file(parent, file) ? join_att_path(parent, file) : NULL;
    add_att_dispatch(out, name, dir, stats);
    free(stats);
}

static int list_below(struct att_places *out, const char *path, struct error *err)
{
    struct att_names names;
    char name[256];
    int rc = att_names_read(&names, path, err);
    for (uint32_t i = 0; rc == 0 && i < names.n && out->n < PLACES_MAX; i++) {
        char *dir = join_att_path(path, names.list[i]);
        if (stats_name(names.list[i], name, sizeof name)) {
            char *folder = join_att_path(path, name);
            if (!is_trace(folder))
                add_att_dispatch(out, name, NULL, dir);
            free(folder);
        } else if (is_trace(dir)) {
            add_att_folder(out, path, names.list[i], dir);
        }
        free(dir);
        rc = watch_check(path, err);
    }
    att_names_free(&names);
    return rc;
}

static int place_order(const void *x, const void *y)
{
    const struct att_place *a = x, *b = y;
    if (a->agent != b->agent)
        return a->agent < b->agent ? -1 : 1;
    if (a->dispatch != b->dispatch)
        return a->dispatch < b->dispatch ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Adds a file instead of a folder: only statistics. */
static int list_file(struct att_places *out, const char *path, struct error *err)
{
    char name[256];
    const char *file = strrchr(path, '/');
    file = file ? file + 1 : path;
    if (!stats_name(file, name, sizeof name))
        return error_set(err, ERROR_INPUT, ENOTDIR,
                         "give the folder that rocprofv3 --att wrote, or its stats_*.csv", path,
                         "no folder");
    add_att_dispatch(out, name, NULL, path);
    return 0;
}

static int list_folder(struct att_places *out, const char *path, struct error *err)
{
    if (!is_trace(path))
        return list_below(out, path, err);
    char *whole = realpath(path, NULL), *slash = whole ? strrchr(whole, '/') : NULL;
    if (!slash) {
        free(whole);
        return refuse_folder(err, path, errno ? errno : EINVAL);
    }
    *slash = '\0';
    add_att_folder(out, *whole ? whole : "/", slash + 1, path);
    free(whole);
    return 0;
}

int att_folder_list(struct att_places *out, const char *path, struct error *err)
{
    struct stat st;
    *out = (struct att_places){0};
    if (stat(path, &st) != 0)
        return refuse_folder(err, path, errno);
    int rc = S_ISDIR(st.st_mode) ? list_folder(out, path, err) : list_file(out, path, err);
    if (rc == 0 && out->n == 0)
        return error_set(err, ERROR_INPUT, ENOENT,
                         "give the folder that rocprofv3 --att wrote: it has ui_output_* folders",
                         path, "no thread trace is in it");
    if (out->n)
        qsort(out->list, out->n, sizeof *out->list, place_order);
    return rc;
}
