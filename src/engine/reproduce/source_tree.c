#include "engine/reproduce/source_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"

enum { FILE_BYTES_MAX = 32 << 20, NAME_MAX_BYTES = 1024 };

/* --- which files --- */

/* Whether the name is that of source code. Debug information may name any file of this machine,
 * and only source code may be copied. */
static bool is_source(const char *path)
{
    static const char *const ends[] = {".hip", ".cu",  ".cuh", ".h",   ".hh",  ".hpp", ".hxx",
                                       ".c",   ".cc",  ".cpp", ".cxx", ".inc", ".inl", ".ipp",
                                       ".def", ".tpp", ".cl",  ".py",  ".impl"};
    const char *slash = strrchr(path, '/'), *end = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; end && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(end, ends[i]) == 0)
            return true;
    return false;
}

static bool is_toolchain(const char *path)
{
    static const char *const begins[] = {"/usr/include/", "/usr/lib/",   "/usr/lib64/",    "/lib/",
                                         "/opt/rocm",     "/usr/share/", "/usr/local/cuda"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(path, begins[i], strlen(begins[i])) == 0)
            return true;
    return strstr(path, "/lib/clang/") != NULL; /* the headers of an LLVM that the user built */
}

static bool is_readable_source(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= FILE_BYTES_MAX &&
           access(path, R_OK) == 0;
}

static bool is_listed(const struct source_tree *t, const char *path)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->files[i].path, path) == 0)
            return true;
    return false;
}

static void add_source(struct source_tree *t, const char *path)
{
    LIST_ADD(t->files, t->n, t->cap, (struct source_file){.path = path});
}

bool source_tree_takes(const char *path)
{
    return path[0] == '/' && is_source(path) && !is_toolchain(path) && is_readable_source(path);
}

bool source_tree_add(struct source_tree *t, const char *path)
{
    const char *plain = path_plain(&t->arena, "", path);
    if (t->n == SOURCE_FILES_MAX || path[0] != '/' || !source_tree_takes(plain))
        return false;
    if (!is_listed(t, plain))
        add_source(t, plain);
    return true;
}

/* --- what they include --- */

struct include {
    char name[NAME_MAX_BYTES];
    bool quoted;
};

/* Parses "#include <name>" and its variants. */
static bool read_include(const char *line, struct include *out)
{
    const char *p = line + strspn(line, " \t");
    if (*p++ != '#')
        return false;
    p += strspn(p, " \t");
    if (strncmp(p, "include", 7) != 0)
        return false;
    p += 7;
    p += strncmp(p, "_next", 5) == 0 ? 5 : 0;
    p += strspn(p, " \t");
    char close = '\0';
    if (*p == '"')
        close = '"';
    else if (*p == '<')
        close = '>';
    const char *end = close ? strchr(p + 1, close) : NULL;
    if (!end || (size_t)(end - p) > sizeof out->name)
        return false;
    snprintf(out->name, sizeof out->name, "%.*s", (int)(end - p - 1), p + 1);
    out->quoted = close == '"';
    return *out->name;
}

static void add_source_folder(struct source_tree *t, const char *folder)
{
    for (size_t i = 0; i < t->nfolders; i++)
        if (strcmp(t->folders[i], folder) == 0)
            return;
    LIST_ADD(t->folders, t->nfolders, t->cap_folders, folder);
}

/* Looks for a header in a folder and adds it. *over: the file exists, so the search ends. Returns
 * false if it was not added, also if it exists but belongs to the toolchain. */
static bool add_header_found_in(struct source_tree *t, const char *folder, const char *name,
                                bool *over)
{
    const char *path = path_plain(&t->arena, folder, name);
    *over = is_readable_source(path);
    if (!*over || is_toolchain(path) || t->n == SOURCE_FILES_MAX)
        return false;
    if (!is_listed(t, path))
        add_source(t, path);
    return true;
}

static void follow_include(struct source_tree *t, const char *from, const struct include *in,
                           const struct device_build *b)
{
    const char *slash = strrchr(from, '/');
    bool over = false;
    if (in->name[0] == '/')
        return; /* an absolute path is included from where it is */
    if (in->quoted &&
        (add_header_found_in(t, arena_strndup(&t->arena, from, (size_t)(slash - from)), in->name,
                             &over) ||
         over))
        return;
    for (size_t i = 0; i < b->n && !over; i++) {
        const char *folder = b->words[i].path;
        if (folder && device_word_searches(&b->words[i]) &&
            (in->quoted || strcmp(b->words[i].flag, "-iquote") != 0) &&
            add_header_found_in(t, folder, in->name, &over))
            add_source_folder(t, folder);
    }
}

static void scan_for_includes(struct source_tree *t, const char *path, const struct device_build *b)
{
    struct include in;
    char *line = NULL;
    size_t cap = 0;
    FILE *f = fopen(path, "re");
    while (f && getline(&line, &cap, f) > 0)
        if (read_include(line, &in))
            follow_include(t, path, &in, b);
    free(line);
    if (f)
        fclose(f);
}

void source_tree_close(struct source_tree *t, const struct device_build *build)
{
    for (size_t i = 0; i < build->n; i++)
        if (build->words[i].path && !device_word_searches(&build->words[i]))
            source_tree_add(t, build->words[i].path); /* files of -include */
    for (size_t i = 0; i < t->n; i++)                 /* the list grows meanwhile */
        scan_for_includes(t, t->files[i].path, build);
}

/* --- the root of the tree --- */

/* The length of the longest folder that contains both root (n bytes) and path. */
static size_t find_common_folder(const char *root, size_t n, const char *path)
{
    size_t same = 0;
    while (same < n && path[same] == root[same])
        same++;
    if ((same == n && (path[n] == '/' || !path[n])) || (!path[same] && root[same] == '/'))
        return same;
    while (same > 0 && root[--same] != '/')
        ;
    return same;
}

void source_tree_root(struct source_tree *t)
{
    if (t->n == 0)
        return;
    const char *first = t->files[0].path;
    size_t n = (size_t)(strrchr(first, '/') - first);
    for (size_t i = 1; i < t->n; i++)
        n = find_common_folder(first, n, t->files[i].path);
    for (size_t i = 0; i < t->nfolders; i++)
        n = find_common_folder(first, n, t->folders[i]);
    t->root = arena_strndup(&t->arena, first, n);
    for (size_t i = 0; i < t->n; i++)
        t->files[i].below = t->files[i].path + n + 1;
}

const char *source_tree_below(const struct source_tree *t, const char *path)
{
    const size_t n = t->root ? strlen(t->root) : 0;
    if (!t->root || strncmp(path, t->root, n) != 0 || (path[n] && path[n] != '/'))
        return NULL;
    return path[n] ? path + n + 1 : "";
}

void source_tree_free(struct source_tree *t)
{
    free(t->files);
    free(t->folders);
    arena_free(&t->arena);
    *t = (struct source_tree){.n = 0};
}
