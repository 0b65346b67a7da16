#include "backends/nvidia/nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/linkage.h"

/* Finds the first of the names, separated by blanks, that the library has. into: the address of a
 * function pointer. */
static void find_nvml_function(void *library, const char *names, void *into)
{
    char name[96];
    void *found = NULL;
    for (const char *p = names; *p && !found;) {
        size_t n = strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        found = dlsym(library, name);
        p += n + strspn(p + n, " ");
    }
    memcpy(into, &found, sizeof found);
}

const char *nvml_reason(const struct nvml *n, int rc)
{
    static _Thread_local char number[32];
    const char *text = n->error_string ? n->error_string(rc) : NULL;
    if (text)
        return text;
    snprintf(number, sizeof number, "NVML error %d", rc);
    return number;
}

/* Frees the loader's last error message, which otherwise stays allocated until the thread ends. */
static void forget_messages(void)
{
    while (dlerror())
        continue;
}

int nvml_open(struct nvml *out, struct error *err)
{
    const char *path = env_get("ROOFTOP_NVML");
    *out =
        (struct nvml){.library = dlopen(path ? path : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!out->library) {
        error_set(
            err, ERROR_UNSUPPORTED, ENOENT,
            linkage_help("it comes with NVIDIA's driver (Debian: libnvidia-ml1); in a container: "
                         "NVIDIA_DRIVER_CAPABILITIES=utility"),
            "open libnvidia-ml.so.1", "%s", dlerror());
        forget_messages();
        return -ENOENT;
    }
#define X(member, symbols, arguments) find_nvml_function(out->library, symbols, &out->member);
    NVML_FUNCTIONS(X)
#undef X
    find_nvml_function(out->library, "nvmlErrorString", &out->error_string);
    forget_messages();
    if (!out->init || !out->count || !out->handle)
        return error_set(err, ERROR_UNSUPPORTED, ENOSYS,
                         "install the library of NVIDIA's driver again, or name it: ROOFTOP_NVML",
                         "open libnvidia-ml.so.1",
                         "it lacks nvmlInit, nvmlDeviceGetCount or nvmlDeviceGetHandleByIndex");
    int rc = out->init();
    if (rc != NVML_OK)
        return error_set(err, ERROR_UNSUPPORTED, ENODEV,
                         "is the driver loaded, and of the library's version? nvidia-smi, "
                         "sudo modprobe nvidia",
                         "nvmlInit", "%s", nvml_reason(out, rc));
    return 0;
}
