#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_open(const char *const *names, size_t n, const struct library_function *functions,
                  size_t nfunctions)
{
    void *handle = NULL;
    bool all = true;
    for (size_t i = 0; !handle && i < n; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return false;
    for (size_t i = 0; i < nfunctions; i++) {
        void *found = dlsym(handle, functions[i].name);
        memcpy(functions[i].at, &found, sizeof found);
        all = all && found;
    }
    return all;
}
