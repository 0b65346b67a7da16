#include "engine/reproduce/triton_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"

enum { KERNELS_MAX = 1 << 17, PYTHON_MAX = 256, FORM_BYTES_MAX = 64 << 20 };

static bool has_file_ending(const char *name, const char *end)
{
    const size_t n = strlen(name), k = strlen(end);
    return n > k && strcmp(name + n - k, end) == 0;
}

static bool same_bytes(const char *path, const void *code, size_t n)
{
    struct stat st;
    bool same = false;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size == n && n > 0) {
        void *p = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
        same = p != MAP_FAILED && memcmp(p, code, n) == 0;
        if (p != MAP_FAILED)
            munmap(p, n);
    }
    if (fd >= 0)
        close(fd);
    return same;
}

/* --- Python's files --- */

static void add_python(struct triton_kernel *k, const char *path, size_t n, struct arena *arena)
{
    if (n == 0 || path[0] != '/' || k->npython == PYTHON_MAX)
        return;
    for (size_t i = 0; i < k->npython; i++)
        if (strncmp(k->python[i], path, n) == 0 && !k->python[i][n])
            return;
    k->python[k->npython++] = arena_strndup(arena, path, n);
}

/* Reads the source files from locations of MLIR: loc("/path/kernel.py":12:34). */
static void read_places(struct triton_kernel *k, const char *text, struct arena *arena)
{
    for (const char *p = text; (p = strstr(p, "loc(\""));) {
        p += 5;
        const size_t n = strcspn(p, "\"\n");
        if (n > 3 && p[n] == '"' && strncmp(p + n - 3, ".py", 3) == 0)
            add_python(k, p, n, arena);
        p += n;
    }
}

static void read_form(struct triton_kernel *k, const char *end, struct arena *arena)
{
    struct stat st;
    FILE *f = fopen(arena_printf(arena, "%s/%s%s", k->folder, k->name, end), "re");
    if (f && fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && st.st_size < FORM_BYTES_MAX) {
        char *text = xcalloc((size_t)st.st_size + 1, 1);
        if (fread(text, 1, (size_t)st.st_size, f) > 0)
            read_places(k, text, arena);
        free(text);
    }
    if (f)
        fclose(f);
}

/* --- the kernel --- */

static void describe_triton_kernel(struct triton_kernel *k, const char *folder, const char *file,
                                   struct arena *arena)
{
    k->folder = arena_strdup(arena, folder);
    k->name = arena_strndup(arena, file, strlen(file) - strlen(".hsaco"));
    const char *assembly = arena_printf(arena, "%s/%s.amdgcn", k->folder, k->name);
    k->assembly = access(assembly, R_OK) == 0 ? assembly : NULL;
    k->python = arena_alloc(arena, PYTHON_MAX * sizeof *k->python);
    read_form(k, ".source", arena);
    read_form(k, ".ttir", arena);
    read_form(k, ".ttgir", arena);
}

static bool look_into_triton_folder(struct triton_kernel *out, const char *folder, const void *code,
                                    size_t n, struct arena *arena)
{
    char path[PATH_MAX];
    bool found = false;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && !found && (e = readdir(dir));) { // NOLINT: ours alone
        found = has_file_ending(e->d_name, ".hsaco") &&
                (size_t)snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < sizeof path &&
                same_bytes(path, code, n);
        if (found)
            describe_triton_kernel(out, folder, e->d_name, arena);
    }
    if (dir)
        closedir(dir);
    return found;
}

bool triton_cache_find(struct triton_kernel *out, const void *code, size_t n, struct arena *arena)
{
    char folder[PATH_MAX];
    const char *own = env_get("TRITON_CACHE_DIR"), *home = env_get("HOME");
    const char *cache = NULL;
    if (own && *own)
        cache = own;
    else if (home)
        cache = arena_printf(arena, "%s/.triton/cache", home);
    size_t seen = 0;
    bool found = false;
    *out = (struct triton_kernel){.npython = 0};
    DIR *dir = cache ? opendir(cache) : NULL;
    for (struct dirent *e; dir && !found && seen < KERNELS_MAX && (e = readdir(dir));
         seen++) // NOLINT: ours alone
        if (e->d_name[0] != '.' &&
            (size_t)snprintf(folder, sizeof folder, "%s/%s", cache, e->d_name) < sizeof folder)
            found = look_into_triton_folder(out, folder, code, n, arena);
    if (dir)
        closedir(dir);
    return found;
}
