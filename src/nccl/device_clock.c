/*
 * The unit of a kernel's stamps. NCCL's are ns (globaltimer of CUDA). RCCL's are wall_clock64() of
 * HIP, whose rate is an attribute of the device: 25 to 100 MHz, so 10 to 40 ns.
 */
#include <dlfcn.h>

#include "nccl/nccl_impl.h"

enum { HIP_WALL_CLOCK_RATE = 10017 }; /* hipDeviceAttributeWallClockRate, in kHz */
enum { KHZ_OF_NS = 1000000 };

typedef int hip_get_device(int *device);
typedef int hip_get_attribute(int *value, int attribute, int device);

uint32_t device_clock_tick = 1;

static uint32_t find_hip_tick(void *library)
{
    hip_get_device *get_device = NULL;
    hip_get_attribute *get = NULL;
    int device = 0, khz = 0;
    *(void **)&get_device = dlsym(library, "hipGetDevice");
    *(void **)&get = dlsym(library, "hipDeviceGetAttribute");
    if (!get_device || !get || get_device(&device) != 0 ||
        get(&khz, HIP_WALL_CLOCK_RATE, device) != 0 || khz <= 0 || khz > KHZ_OF_NS)
        return 1;
    return (uint32_t)(KHZ_OF_NS / khz);
}

/* The library that logs is the one that calls the plugin. HIP is among those that it needs, or not.
 */
void device_clock_find(profiler_log *log)
{
    Dl_info info;
    const void *at = (void *)(uintptr_t)log; /* NOLINT: C has no other way */
    if (!log || !dladdr(at, &info) || !info.dli_fname)
        return;
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    STORE(device_clock_tick, library ? find_hip_tick(library) : 1);
    if (library)
        dlclose(library);
}
