#include "backends/hsa/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/linkage.h"

#define INSTALL                                                                                    \
    "install the HSA runtime (Debian, Ubuntu: libhsa-runtime64-1; ROCm: hsa-rocr), or put its "    \
    "folder into LD_LIBRARY_PATH"

static void *open_hsa_library(char *why, size_t size)
{
    static const char *const names[] = {"libhsa-runtime64.so.1",
                                        "/opt/rocm/lib/libhsa-runtime64.so.1",
                                        "/opt/rocm/lib64/libhsa-runtime64.so.1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
        if (i == 0) /* the other paths are guesses: their absence means nothing */
            snprintf(why, size, "%s", dlerror());
    }
    return NULL;
}

/* Finds a function in the library. into: the address of a function pointer. */
static bool find_hsa_function(void *library, const char *function, void *into)
{
    void *found = dlsym(library, function);
    memcpy(into, &found, sizeof found);
    return found;
}

static bool take_vmem(void *library, struct hsa_vmem *v)
{
    return find_hsa_function(library, "hsa_amd_vmem_address_reserve", &v->address_reserve) &&
           find_hsa_function(library, "hsa_amd_vmem_address_free", &v->address_free) &&
           find_hsa_function(library, "hsa_amd_vmem_handle_create", &v->handle_create) &&
           find_hsa_function(library, "hsa_amd_vmem_handle_release", &v->handle_release) &&
           find_hsa_function(library, "hsa_amd_vmem_map", &v->map) &&
           find_hsa_function(library, "hsa_amd_vmem_unmap", &v->unmap) &&
           find_hsa_function(library, "hsa_amd_vmem_set_access", &v->set_access);
}

/* Called after shut_down. */
static void hsa_runtime_close(struct hsa_runtime *r)
{
    if (r->library)
        dlclose(r->library);
    *r = (struct hsa_runtime){0};
}

int hsa_runtime_open(struct hsa_runtime *out, struct error *err)
{
    char why[sizeof err->why] = "";
    *out = (struct hsa_runtime){.library = open_hsa_library(why, sizeof why)};
    if (!out->library)
        return error_set(err, ERROR_UNSUPPORTED, ENOENT, linkage_help(INSTALL),
                         "open libhsa-runtime64.so.1", "%s", why);
    const struct link_map *map = NULL;
    if (dlinfo(out->library, RTLD_DI_LINKMAP, (void *)&map) == 0 && map && map->l_name)
        snprintf(out->path, sizeof out->path, "%s", map->l_name);
    const char *missing = NULL;
#define X(name)                                                                                    \
    if (!find_hsa_function(out->library, "hsa_" #name, &out->name) && !missing)                    \
        missing = "hsa_" #name;
    HSA_RUNTIME_FUNCTIONS(X)
#undef X
    if (missing) {
        hsa_runtime_close(out);
        return error_set(err, ERROR_UNSUPPORTED, ENOSYS, INSTALL, "open libhsa-runtime64.so.1",
                         "it has no %s: older than ROCm 5.2, or not AMD's", missing);
    }
    out->has_vmem = take_vmem(out->library, &out->vmem);
    return 0;
}

const char *hsa_runtime_status(const struct hsa_runtime *r, hsa_status_t status)
{
    static _Thread_local char number[32];
    const char *text = NULL;
    if (r->status_string && r->status_string(status, &text) == HSA_STATUS_SUCCESS && text)
        return text;
    snprintf(number, sizeof number, "HSA status 0x%x", (unsigned)status);
    return number;
}
