#include "symbols/objects.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/env.h"
#include "symbols/symbols_impl.h"

enum { SCRIPTS_MAX = 4, MAP_LINES_MAX = 1 << 17 };

/* Adds a file, unless the same file (device and inode) is in the list. */
static void add_new_object(struct objects *o, const char *path, const char *name,
                           const struct stat *st)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->list[i].dev == st->st_dev && o->list[i].inode == st->st_ino)
            return;
    if (o->n == OBJECTS_MAX) {
        o->missing++;
        return;
    }
    o->list[o->n++] = (struct object){.path = arena_strdup(&o->texts, path),
                                      .name = arena_strdup(&o->texts, name),
                                      .dev = st->st_dev,
                                      .inode = st->st_ino};
}

static void add_object_path(struct objects *o, const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        add_new_object(o, path, path, &st);
    else
        o->missing++;
}

/* --- before the program runs --- */

static int refuse_unknown_program(const char *command, struct error *err)
{
    return error_set(err, ERROR_TARGET, ENOENT, "check its name and PATH", command,
                     "there is no such program");
}

/* Replaces the path of a script by the interpreter that it names. */
static bool replace_script_path(char path[PATH_MAX])
{
    char head[256] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof head - 1, 0);
    if (fd >= 0)
        close(fd);
    if (n < 3 || head[0] != '#' || head[1] != '!')
        return false;
    const char *from = head + 2 + strspn(head + 2, " \t");
    snprintf(path, PATH_MAX, "%.*s", (int)strcspn(from, " \t\r\n"), from);
    return path[0] == '/';
}

/* Adds everything that the files in the list need, breadth first as the dynamic linker does. */
static void add_needed(struct objects *o)
{
    struct library_folders *folders = xcalloc(1, sizeof *folders);
    struct needed *needed = xcalloc(1, sizeof *needed);
    library_folders_read(folders, &o->texts);
    for (size_t i = 0; i < o->n; i++) {
        const char *from = o->list[i].path;
        if (!needed_read(needed, from, &o->texts))
            continue;
        if (needed->interpreter)
            add_object_path(o, needed->interpreter);
        for (size_t k = 0; k < needed->n; k++) {
            const char *found = library_find(folders, needed, from, needed->names[k], &o->texts);
            if (found)
                add_object_path(o, found);
            else
                o->missing++;
        }
    }
    free(needed);
    free(folders);
}

/* Lists a single file. */
static int objects_of_file(struct objects *out, const char *path, struct error *err)
{
    *out = (struct objects){0};
    add_object_path(out, path);
    if (out->n == 0)
        return refuse_unknown_program(path, err);
    add_needed(out);
    return 0;
}

int objects_of_program(struct objects *out, const char *command, struct error *err)
{
    char path[PATH_MAX];
    *out = (struct objects){0};
    if (child_look_up(command, path, sizeof path) != 0 && !strchr(command, '/'))
        return refuse_unknown_program(command, err);
    for (int i = 0; i < SCRIPTS_MAX && replace_script_path(path);)
        i++;
    return objects_of_file(out, path, err);
}

/* --- while the program runs --- */

/* Adds a mapped file, as we can open it: by its own name, below the process's root, or through its
 * mapping. */
static void add_mapped(struct objects *o, pid_t pid, const char *range, unsigned long inode,
                       char *name)
{
    static const char gone[] = " (deleted)";
    struct stat st;
    char at[3][PATH_MAX + 64];
    size_t n = strlen(name), m = strlen(gone);
    if (n > m && strcmp(name + n - m, gone) == 0)
        name[n - m] = '\0';
    snprintf(at[0], sizeof at[0], "%s", name);
    snprintf(at[1], sizeof at[1], "/proc/%d/root%s", (int)pid, name);
    snprintf(at[2], sizeof at[2], "/proc/%d/map_files/%.*s", (int)pid, (int)strcspn(range, " "),
             range);
    for (int i = 0; i < 3; i++)
        if (stat(at[i], &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == inode) {
            add_new_object(o, at[i], name, &st);
            return;
        }
    o->missing++;
}

int objects_of_process(struct objects *out, pid_t pid, struct error *err)
{
    char path[PATH_MAX], line[PATH_MAX + 128], what[64], last[PATH_MAX] = "";
    *out = (struct objects){0};
    snprintf(what, sizeof what, "process %d", (int)pid);
    FILE *f = fopen(env_path(path, sizeof path, "/proc/%d/maps", (int)pid), "re");
    if (!f)
        return error_set(err, errno == ENOENT ? ERROR_TARGET : ERROR_PERMISSION, errno,
                         errno == ENOENT ? NULL : "run as its user, or as root", what, "%s",
                         errno == ENOENT ? "there is no such process" : strerror(errno));
    for (int left = MAP_LINES_MAX; left > 0 && fgets(line, sizeof line, f); left--) {
        char rights[5];
        unsigned long inode;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%*x-%*x %4s %*x %*x:%*x %lu %n", rights, &inode, &at) < 2 || !at ||
            rights[2] != 'x' || !inode || line[at] != '/' || strcmp(line + at, last) == 0)
            continue;
        snprintf(last, sizeof last, "%s", line + at);
        add_mapped(out, pid, line, inode, line + at);
    }
    bool failed = ferror(f) != 0;
    fclose(f);
    if (failed && out->n == 0)
        return error_set(err, ERROR_PERMISSION, EACCES, "run as its user, or as root", what,
                         "its mappings cannot be read");
    return 0;
}

void objects_free(struct objects *o)
{
    arena_free(&o->texts);
    *o = (struct objects){0};
}
