#include "cli/run/nearby.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/nearest.h"
#include "base/shell_word.h"
#include "engine/capture/capture.h"
#include "engine/session/session.h"
#include "engine/trace/trace.h"

enum { NEARBY_FILES = 64, NEARBY_ENTRIES = 4096, NEARBY_SHOWN = 3 };

struct nearby_file {
    char name[256];
    int64_t changed; /* ns */
};

/* Keeps the newest files; the newest is the first. */
static size_t keep_nearby_file(struct nearby_file *list, size_t n, const char *name,
                               int64_t changed)
{
    size_t at = n;
    while (at > 0 && list[at - 1].changed < changed)
        at--;
    if (at == NEARBY_FILES)
        return n;
    const size_t kept = n < NEARBY_FILES ? n : n - 1;
    memmove(list + at + 1, list + at, (kept - at) * sizeof *list);
    list[at].changed = changed;
    snprintf(list[at].name, sizeof list[at].name, "%s", name);
    return kept + 1;
}

static size_t list_nearby_files(struct nearby_file *list)
{
    DIR *d = opendir(".");
    size_t n = 0;
    const struct dirent *e;
    for (int i = 0; d && i < NEARBY_ENTRIES && (e = readdir(d)); i++) {
        struct stat st;
        if (e->d_name[0] != '.' && stat(e->d_name, &st) == 0 && S_ISREG(st.st_mode) && st.st_size)
            n = keep_nearby_file(list, n, e->d_name,
                                 st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec);
    }
    if (d)
        closedir(d);
    return n;
}

bool nearby_profile(const char *path)
{
    struct error ignored = ERROR_INIT;
    return trace_folder(path) || trace_reader(path, &ignored);
}

bool nearby_any(const char *path)
{
    return session_recognise(path) || nearby_profile(path);
}

bool nearby_calls(const char *path)
{
    struct error ignored = ERROR_INIT;
    const struct reader_ops *reader = trace_reader(path, &ignored);
    return trace_folder(path) || (reader && !reader->samples);
}

bool nearby_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Appends a name, quoted for a shell: the first after "; here are ". */
static size_t append_nearby_name(const char *name, size_t shown, char *out, size_t size, size_t n)
{
    char *word = shell_path(name);
    const int more = snprintf(out + n, size - n, "%s%s", shown ? ", " : "; here: ", word);
    free(word);
    if (n + (size_t)more < size)
        return n + (size_t)more;
    out[n] = '\0'; /* half a name helps nobody */
    return n;
}

char *nearby_profiles(const char *help, nearby_reads *reads, char *out, size_t size)
{
    struct nearby_file *list = xcalloc(NEARBY_FILES + 1, sizeof *list);
    const size_t found = list_nearby_files(list);
    size_t n = (size_t)snprintf(out, size, "%s", help), shown = 0;
    for (size_t i = 0; i < found && shown < NEARBY_SHOWN && n < size; i++)
        if (reads(list[i].name))
            n = append_nearby_name(list[i].name, shown++, out, size, n);
    free(list);
    return out;
}

char *nearby_captures(const char *help, char *out, size_t size)
{
    static const char *const folders[] = {"rooftop_captures", "."};
    struct error ignored = ERROR_INIT;
    size_t n = (size_t)snprintf(out, size, "%s", help), shown = 0;
    for (size_t k = 0; k < 2 && shown == 0; k++) {
        struct capture_list l = {0};
        if (capture_list_read(&l, &folders[k], 1, &ignored) != 0)
            continue;
        for (size_t i = 0; i < l.n && shown < NEARBY_SHOWN && n < size; i++)
            if (!l.items[i].why)
                n = append_nearby_name(l.items[i].path, shown++, out, size, n);
        capture_list_free(&l);
    }
    return out;
}

static bool is_near(const char *wanted, const char *name)
{
    struct nearest one;
    nearest_start(&one, wanted);
    nearest_offer(&one, name);
    return nearest_found(&one) != NULL;
}

/* Looks into near files only: they are few, and never more than NEARBY_FILES. */
static void offer_near_files(struct nearest *nearest, const char *folder, nearby_reads *reads)
{
    DIR *d = opendir(folder);
    const struct dirent *e;
    size_t asked = 0;
    for (int i = 0; d && i < NEARBY_ENTRIES && asked < NEARBY_FILES && (e = readdir(d)); i++) {
        char path[4096];
        if (e->d_name[0] == '.' || !is_near(nearest->wanted, e->d_name))
            continue;
        asked++;
        const int n = snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (n < (int)sizeof path && reads(path))
            nearest_offer(nearest, e->d_name);
    }
    if (d)
        closedir(d);
}

char *nearby_name(const char *path, nearby_reads *reads, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? xstrdup(path) : xstrdup(".");
    if (slash)
        folder[slash == path ? 1 : slash - path] = '\0';
    struct nearest nearest;
    nearest_start(&nearest, slash ? slash + 1 : path);
    if (*nearest.wanted)
        offer_near_files(&nearest, folder, reads);
    const char *near = nearest_found(&nearest);
    *out = '\0';
    if (near)
        snprintf(out, size, "did you mean %.*s%s?", (int)(slash ? slash + 1 - path : 0), path,
                 near);
    free(folder);
    return out;
}

void nearby_help(struct error *err, nearby_reads *reads)
{
    if (err->code == ENOENT && !*err->help)
        nearby_name(err->what, reads, err->help, sizeof err->help);
}
