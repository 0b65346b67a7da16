#include "backends/clang/libclang.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/linkage.h"

static struct libclang lib;
static bool there;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

/* Debian's names, then those of other systems. Newest first, because newer ones know more of C++.
 */
static const char *const patterns[] = {"/usr/lib/*-linux-gnu/libclang-[0-9]*.so.1",
                                       "/usr/lib/llvm-[0-9]*/lib/libclang.so.1",
                                       "/usr/lib/*-linux-gnu/libclang-[0-9]*.so.[0-9]*",
                                       "/usr/lib64/libclang.so.[0-9]*",
                                       "/usr/lib/libclang.so.[0-9]*",
                                       "/opt/rocm*/llvm/lib/libclang.so.[0-9]*",
                                       "/opt/rocm*/lib/llvm/lib/libclang.so.[0-9]*"};

/* 14 of "/usr/lib/x86_64-linux-gnu/libclang-14.so.1", 19 of ".../llvm-19/lib/libclang.so.1". */
static long version_in(const char *path)
{
    const char *name = strrchr(path, '/'), *v = name ? strstr(name, "clang-") : NULL;
    if (v)
        return strtol(v + 6, NULL, 10);
    v = strstr(path, "/llvm-");
    if (v)
        return strtol(v + 6, NULL, 10);
    v = strstr(path, ".so.");
    return v ? strtol(v + 4, NULL, 10) : 0;
}

char *libclang_found(void)
{
    char *best = NULL;
    for (size_t i = 0; !LINKAGE_ALONE && !best && i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        if (glob(patterns[i], 0, NULL, &found) != 0)
            continue;
        for (size_t k = 0; k < found.gl_pathc; k++)
            if (access(found.gl_pathv[k], R_OK) == 0 &&
                (!best || version_in(found.gl_pathv[k]) > version_in(best))) {
                free(best);
                best = xstrdup(found.gl_pathv[k]);
            }
        globfree(&found);
    }
    return best;
}

static void *load_newest(void)
{
    static const char *const names[] = {"libclang.so.1", "libclang.so.13", "libclang.so"};
    char *path = libclang_found();
    void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    free(path);
    for (size_t i = 0; !handle && i < sizeof names / sizeof *names; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return handle;
}

static void load_clang_functions(void)
{
    static const char *const names[] = {
#define NAME(name, result, parameters) "clang_" #name,
        LIBCLANG_FUNCTIONS(NAME)
#undef NAME
    };
    void *const places[] = {
#define NAME(name, result, parameters) &lib.name,
        LIBCLANG_FUNCTIONS(NAME)
#undef NAME
    };
    void *handle = load_newest();
    there = handle != NULL;
    for (size_t i = 0; there && i < sizeof names / sizeof *names; i++) {
        void *at = dlsym(handle, names[i]);
        there = at != NULL;
        memcpy(places[i], &at, sizeof at);
    }
}

const struct libclang *libclang_open(struct error *err)
{
    pthread_once(&opened, load_clang_functions);
    if (there)
        return &lib;
    error_set(err, ERROR_UNSUPPORTED, ENOSYS, linkage_help("apt install libclang1"), "libclang",
              "%s", linkage_reason("there is no libclang that reads sources"));
    return NULL;
}
