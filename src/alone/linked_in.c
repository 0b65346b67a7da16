/*
 * Takes the place of dlopen() in a program that is linked statically. glibc's own would load this
 * system's C library beside the one that is linked in, which works only where both are of the same
 * version, and crashes elsewhere. Libraries whose archives are linked in are found; others are
 * refused, with the reason. The linker warns of dlopen() nevertheless: a part of glibc that every
 * such program has calls it by its inner name, and the file that brings that name has the warning.
 */
#include <dlfcn.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stddef.h>
#include <string.h>

#include "base/linkage.h"

extern int lzma_stream_buffer_decode(void); /* liblzma's; only its address is taken */

static const struct function {
    const char *library, *name;
    void (*at)(void);
} functions[] = {
#define FUNCTION(library, name)                                                                    \
    {                                                                                              \
        library, #name, (void (*)(void))(name)                                                     \
    }
    FUNCTION("libpfm.so.4", pfm_initialize),
    FUNCTION("libpfm.so.4", pfm_get_os_event_encoding),
    FUNCTION("libpfm.so.4", pfm_get_pmu_info),
    FUNCTION("libpfm.so.4", pfm_get_event_next),
    FUNCTION("libpfm.so.4", pfm_get_event_info),
    FUNCTION("libpfm.so.4", pfm_get_event_attr_info),
    FUNCTION("liblzma.so.5", lzma_stream_buffer_decode),
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static _Thread_local const char *last_message;

/* A handle is the first function of the library. */
void *dlopen(const char *file, int mode)
{
    (void)mode;
    for (size_t i = 0; file && i < FUNCTIONS; i++)
        if (strcmp(functions[i].library, file) == 0)
            return (void *)&functions[i];
    last_message = linkage_reason("");
    return NULL;
}

void *dlsym(void *handle, const char *name)
{
    const struct function *f = handle;
    void *at = NULL;
    for (size_t i = 0; f && i < FUNCTIONS; i++)
        if (strcmp(functions[i].library, f->library) == 0 && strcmp(functions[i].name, name) == 0)
            memcpy(&at, &functions[i].at, sizeof at);
    if (!at)
        last_message = linkage_reason("");
    return at;
}

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}

char *dlerror(void)
{
    const char *message = last_message;
    last_message = NULL;
    return (char *)message;
}
