#include "engine/trace/trace_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/plural.h"
#include "engine/trace/trace_reader.h"

/* rocprofv3 writes DIR/HOST/PID_results.db and DIR/HOST/pmc_1/…, PyTorch and JAX
 * plugins/profile/DATE/HOST.trace.json.gz. */
enum { DEPTH = 5, OTHERS_MAX = 4096, FIRST = 1, UNREAD_MOST = 256 };

struct readable_file {
    char *path;
    const struct reader_ops *reader;
};

struct looking {
    struct readable_file *found;
    uint32_t n, most;
    uint32_t others; /* files and folders since the last one found, which no reader takes */
    uint32_t empty;  /* files */
    char *unread[UNREAD_MOST]; /* the first files that no reader takes */
    uint32_t nunread;
    bool cut;
    struct error refused; /* why the first file that rooftop knows is not read */
};

static bool is_trace_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const struct reader_ops *trace_folder_reader(const char *path)
{
    for (size_t i = 0; readers[i] && is_trace_folder(path); i++)
        if (readers[i]->folder && readers[i]->folder(path))
            return readers[i];
    return NULL;
}

bool trace_folder_is(const char *path)
{
    return is_trace_folder(path) && !trace_folder_reader(path);
}

static void keep_readable(struct looking *l, char *path, const struct reader_ops *reader)
{
    l->found = xrealloc(l->found, l->n + (size_t)1, sizeof *l->found);
    l->found[l->n++] = (struct readable_file){path, reader};
    l->others = 0;
}

/* Skips hidden files, and files of thread traces, which have their own view. */
static int is_wanted_trace_file(const struct dirent *e)
{
    return e->d_name[0] != '.' && strncmp(e->d_name, "ui_output_", 10) != 0;
}

static bool is_search_full(struct looking *l)
{
    l->cut |= l->others == OTHERS_MAX;
    return l->cut || l->n >= l->most;
}

static void look_at_trace_file(struct looking *l, const char *path)
{
    struct error err = ERROR_INIT;
    struct stat st;
    /* Files of /proc have no size, and reading some of them waits, or takes what is for others. */
    if (is_search_full(l) || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    l->empty += st.st_size == 0;
    if (st.st_size == 0)
        return;
    const struct reader_ops *r = trace_reader(path, &err);
    if (r) {
        keep_readable(l, xstrdup(path), r);
        return;
    }
    l->others++;
    if (l->nunread < UNREAD_MOST)
        l->unread[l->nunread++] = xstrdup(path);
    if (!l->refused.kind && trace_reader_knows_why(&err))
        l->refused = err;
}

/* Does not follow links to folders, because they may form a loop. */
static void look_into_trace_folder(struct looking *l, const char *path, int depth);
static void look_below(struct looking *l, const char *path, int depth)
{
    struct stat st;
    if (is_search_full(l) || lstat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return;
    const struct reader_ops *whole = trace_folder_reader(path);
    l->others += !whole;
    if (whole)
        keep_readable(l, xstrdup(path), whole);
    else if (depth < DEPTH)
        look_into_trace_folder(l, path, depth);
}

static void look_into_trace_folder(struct looking *l, const char *path, int depth)
{
    struct dirent **names = NULL;
    char child[4096];
    int n = scandir(path, &names, is_wanted_trace_file, alphasort);
    for (int pass = 0; pass < 2; pass++) /* files, then folders */
        for (int i = 0; i < n; i++) {
            int len = snprintf(child, sizeof child, "%s%s%s", path,
                               path[strlen(path) - 1] == '/' ? "" : "/", names[i]->d_name);
            if (len >= (int)sizeof child)
                continue;
            if (pass == 0)
                look_at_trace_file(l, child);
            else
                look_below(l, child, depth + 1);
        }
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

static void forget_found(struct looking *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        free(l->found[i].path);
    free(l->found);
    for (uint32_t i = 0; i < l->nunread; i++)
        free(l->unread[i]);
}

const struct reader_ops *trace_folder_first(const char *path)
{
    struct looking l = {.most = FIRST};
    const struct reader_ops *found = trace_folder_reader(path);
    if (found || !is_trace_folder(path))
        return found;
    look_into_trace_folder(&l, path, 1);
    found = l.n ? l.found[0].reader : NULL;
    forget_found(&l);
    return found;
}

bool trace_folder(const char *path)
{
    return trace_folder_first(path) != NULL;
}

/* The first reader in readers[] that takes one of the files. */
static const struct reader_ops *first_reader(const struct looking *l)
{
    for (size_t i = 0; readers[i]; i++)
        for (uint32_t k = 0; k < l->n; k++)
            if (l->found[k].reader == readers[i])
                return readers[i];
    return NULL;
}

/* Why no file of the folder is read. */
static int refuse_trace_folder(const struct looking *l, const char *path, struct error *err)
{
    if (access(path, R_OK | X_OK) != 0)
        return error_set(err, ERROR_INPUT, errno, "read it as its owner, or ask for the right",
                         path, "%s", strerror(errno));
    if (l->others == 0 && l->empty)
        return error_set(err, ERROR_INPUT, ENODATA, "see why nothing was written", path,
                         "the %s in it %s", plural(l->empty, "file", "files"),
                         plural(l->empty, "is empty", "are empty"));
    if (l->others == 0)
        return error_set(err, ERROR_INPUT, ENODATA, "name the folder in which the files are", path,
                         "no file is in it");
    if (l->refused.kind)
        return error_set(err, ERROR_INPUT, ENODATA, l->refused.help, path,
                         "none of its %u %s is read; %s: %s", l->others,
                         plural(l->others, "file", "files"), l->refused.what, l->refused.why);
    return error_set(err, ERROR_INPUT, ENODATA, "name the files, or the folder they are in", path,
                     "none of its %u %s is of a format that rooftop reads", l->others,
                     plural(l->others, "file", "files"));
}

static bool differ_in_digits_only(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "0123456789");
        b += strspn(b, "0123456789");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

static bool is_named_as_one_of(const struct trace_places *p, const char *path)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (differ_in_digits_only(p->paths[i], path))
            return true;
    return false;
}

static void count_profiles_unread(struct trace_places *out, const struct looking *l)
{
    for (uint32_t i = 0; i < l->nunread; i++)
        if (is_named_as_one_of(out, l->unread[i]) && out->unread++ == 0)
            out->first_unread = xstrdup(l->unread[i]);
}

int trace_folder_list(struct trace_places *out, const char *path, struct error *err)
{
    struct looking l = {.most = UINT32_MAX};
    look_into_trace_folder(&l, path, 1);
    *out = (struct trace_places){.reader = first_reader(&l), .empty = l.empty, .cut = l.cut};
    out->paths = xcalloc(l.n + (size_t)1, sizeof *out->paths);
    for (uint32_t i = 0; i < l.n; i++)
        if (l.found[i].reader == out->reader) {
            out->paths[out->n++] = l.found[i].path;
            l.found[i].path = NULL;
        } else {
            out->left_out++;
        }
    count_profiles_unread(out, &l);
    forget_found(&l);
    return out->n ? 0 : refuse_trace_folder(&l, path, err);
}

bool trace_places_tell(const struct trace_places *p, const char *path, int *k,
                       char line[PLACES_LINE])
{
    const bool has[] = {p->left_out > 0, p->empty > 0, p->unread > 0, p->cut};
    const int n = sizeof has / sizeof *has;
    while (*k < n && !has[*k])
        ++*k;
    if (*k == 0)
        snprintf(line, PLACES_LINE, "%.400s: read as %s; %u %s in other formats left out", path,
                 p->reader->name, p->left_out, plural(p->left_out, "file", "files"));
    else if (*k == 1)
        snprintf(line, PLACES_LINE, "%.400s: %u empty %s left out", path, p->empty,
                 plural(p->empty, "file", "files"));
    else if (*k == 2 && p->unread == 1)
        snprintf(line, PLACES_LINE,
                 "%.400s: left out: no format is recognised in it, as if it ended within its first "
                 "bytes",
                 p->first_unread);
    else if (*k == 2)
        snprintf(line, PLACES_LINE,
                 "%.350s and %u more left out: no format is recognised in them, as if they ended "
                 "within their first bytes",
                 p->first_unread, p->unread - 1);
    else
        snprintf(line, PLACES_LINE,
                 "%.400s: it holds too many other files, and not all were looked at", path);
    return (*k)++ < n;
}

void trace_places_free(struct trace_places *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        free(p->paths[i]);
    free(p->paths);
    free(p->first_unread);
    *p = (struct trace_places){0};
}
