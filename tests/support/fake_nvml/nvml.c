/*
 * A libnvidia-ml.so.1 of the test's own: made with the compiler while a test runs, found through
 * ROOFTOP_NVML. FAKE_NVML in the environment says what goes wrong: "init", "lost", "mig", "hang",
 * "load-hang" (in its constructor), "crash", "noise" (on stdout), "denied", "none"; "gen=N": the
 * generation of the PCIe link; "shared": processes in more than one list. OLD: only what a driver
 * of 2018 had; ALL: the calls too that this GPU otherwise has not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/nvidia/nvml.h"

#define API __attribute__((visibility("default")))
enum { NO_PERMISSION = 4, DRIVER_NOT_LOADED = 9, GPU_IS_LOST = 15 };

static int is(const char *what)
{
    const char *mode = getenv("FAKE_NVML"); /* this library does not link base/env.h */
    return mode && strstr(mode, what) != NULL;
}

__attribute__((constructor)) static void load(void)
{
    while (is("load-hang"))
        usleep(1000);
}

static char devices[2]; /* handles point to these */

static int index_of(nvml_device d)
{
    return (int)((char *)d - devices);
}

static int give(unsigned *out, unsigned v)
{
    *out = v;
    return is("denied") ? NO_PERMISSION : NVML_OK;
}

API int nvmlInit_v2(void);
API int nvmlInit_v2(void)
{
    return is("init") ? DRIVER_NOT_LOADED : NVML_OK;
}

API int nvmlShutdown(void);
API int nvmlShutdown(void)
{
    return NVML_OK;
}

API const char *nvmlErrorString(int rc);
API const char *nvmlErrorString(int rc)
{
    return rc == NVML_NOT_SUPPORTED  ? "Not Supported"
           : rc == NO_PERMISSION     ? "Insufficient Permissions"
           : rc == DRIVER_NOT_LOADED ? "Driver Not Loaded"
           : rc == GPU_IS_LOST       ? "GPU is lost"
                                     : "Unknown Error";
}

API int nvmlDeviceGetCount_v2(unsigned *n);
API int nvmlDeviceGetCount_v2(unsigned *n)
{
    while (is("hang"))
        usleep(1000);
    if (is("crash"))
        abort();
    if (is("noise"))
        printf("a library that talks\n");
    *n = is("none") ? 0 : 2;
    return NVML_OK;
}

API int nvmlDeviceGetHandleByIndex_v2(unsigned i, nvml_device *d);
API int nvmlDeviceGetHandleByIndex_v2(unsigned i, nvml_device *d)
{
    *d = &devices[i & 1];
    return i == 1 && is("lost") ? GPU_IS_LOST : NVML_OK;
}

API int nvmlDeviceGetName(nvml_device d, char *out, unsigned n);
API int nvmlDeviceGetName(nvml_device d, char *out, unsigned n)
{
    snprintf(out, n, "NVIDIA H200 no. %d", index_of(d));
    return NVML_OK;
}

API int nvmlDeviceGetUtilizationRates(nvml_device d, struct nvml_utilization *u);
API int nvmlDeviceGetUtilizationRates(nvml_device d, struct nvml_utilization *u)
{
    *u = (struct nvml_utilization){.gpu = 93u - (unsigned)index_of(d), .memory = 61};
    return is("mig") ? NVML_NOT_SUPPORTED : NVML_OK;
}

API int nvmlDeviceGetMemoryInfo(nvml_device d, struct nvml_memory *m);
API int nvmlDeviceGetMemoryInfo(nvml_device d, struct nvml_memory *m)
{
    (void)d;
    *m = (struct nvml_memory){.total = 150ull << 30, .used = 31ull << 30, .free = 119ull << 30};
    return NVML_OK;
}

API int nvmlDeviceGetPowerUsage(nvml_device d, unsigned *mw);
API int nvmlDeviceGetPowerUsage(nvml_device d, unsigned *mw)
{
    (void)d;
    return give(mw, 412345);
}

API int nvmlDeviceGetTemperature(nvml_device d, unsigned sensor, unsigned *c);
API int nvmlDeviceGetTemperature(nvml_device d, unsigned sensor, unsigned *c)
{
    (void)d;
    (void)sensor;
    return give(c, 56);
}

#ifdef OLD
API int nvmlDeviceGetComputeRunningProcesses(nvml_device d, unsigned *n, struct nvml_process_v1 *p);
API int nvmlDeviceGetComputeRunningProcesses(nvml_device d, unsigned *n, struct nvml_process_v1 *p)
{
    (void)d;
    p[0] = (struct nvml_process_v1){.pid = 77, .used = 5ull << 20};
    *n = 1;
    return NVML_OK;
}
#else
API int nvmlSystemGetDriverVersion(char *out, unsigned n);
API int nvmlSystemGetDriverVersion(char *out, unsigned n)
{
    snprintf(out, n, "580.65.06");
    return NVML_OK;
}

API int nvmlDeviceGetPciInfo_v3(nvml_device d, struct nvml_pci *p);
API int nvmlDeviceGetPciInfo_v3(nvml_device d, struct nvml_pci *p)
{
    *p = (struct nvml_pci){.bus = 0x41 + (unsigned)index_of(d)};
#ifdef ALL
    *p = (struct nvml_pci){.domain = 0x10001, .bus = 0xfe, .device = 0x1f - (unsigned)index_of(d)};
#endif
    return NVML_OK;
}

API int nvmlDeviceGetCudaComputeCapability(nvml_device d, int *major, int *minor);
API int nvmlDeviceGetCudaComputeCapability(nvml_device d, int *major, int *minor)
{
    (void)d;
    *major = 9;
    *minor = 0;
    return NVML_OK;
}

API int nvmlDeviceGetMigMode(nvml_device d, unsigned *now, unsigned *pending);
API int nvmlDeviceGetMigMode(nvml_device d, unsigned *now, unsigned *pending)
{
    (void)d;
    *now = *pending = is("mig") ? 1 : 0;
    return NVML_OK;
}

API int nvmlDeviceGetMemoryInfo_v2(nvml_device d, struct nvml_memory_v2 *m);
API int nvmlDeviceGetMemoryInfo_v2(nvml_device d, struct nvml_memory_v2 *m)
{
    (void)d;
    if (m->version != (sizeof *m | 2u << 24))
        return 25; /* NVML_ERROR_ARGUMENT_VERSION_MISMATCH */
    m->total = 150ull << 30;
    m->reserved = 1ull << 30;
    m->used = 30ull << 30;
    return NVML_OK;
}

API int nvmlDeviceGetClockInfo(nvml_device d, unsigned which, unsigned *mhz);
API int nvmlDeviceGetClockInfo(nvml_device d, unsigned which, unsigned *mhz)
{
    (void)d;
    return give(mhz, which == NVML_CLOCK_MEM ? 3201 : which == NVML_CLOCK_SM ? 1980 : 1500);
}

API int nvmlDeviceGetEnforcedPowerLimit(nvml_device d, unsigned *mw);
API int nvmlDeviceGetEnforcedPowerLimit(nvml_device d, unsigned *mw)
{
    (void)d;
    return give(mw, 700000);
}

API int nvmlDeviceGetFieldValues(nvml_device d, int n, struct nvml_field_value *v);
API int nvmlDeviceGetFieldValues(nvml_device d, int n, struct nvml_field_value *v)
{
    (void)d;
    for (int i = 0; i < n; i++) {
        v[i].rc = v[i].field == NVML_FIELD_MEMORY_TEMP ? NVML_OK : NVML_NOT_SUPPORTED;
        v[i].type = NVML_VALUE_UINT;
        v[i].value.ui = 63;
    }
    return NVML_OK;
}

API int nvmlDeviceGetFanSpeed(nvml_device d, unsigned *percent);
API int nvmlDeviceGetFanSpeed(nvml_device d, unsigned *percent)
{
    (void)d;
    *percent = 0;
    return NVML_NOT_SUPPORTED; /* server GPUs have no fan */
}

API int nvmlDeviceGetTotalEccErrors(nvml_device d, unsigned type, unsigned counter,
                                    unsigned long long *n);
API int nvmlDeviceGetTotalEccErrors(nvml_device d, unsigned type, unsigned counter,
                                    unsigned long long *n)
{
    (void)d;
    *n = type == 0 && counter == 0 ? 4 : 0;
    return NVML_OK;
}

API int nvmlDeviceGetCurrentClocksThrottleReasons(nvml_device d, unsigned long long *bits);
API int nvmlDeviceGetCurrentClocksThrottleReasons(nvml_device d, unsigned long long *bits)
{
    *bits = index_of(d) == 0 ? 0x4 | 0x20 : 0x1;
    return NVML_OK;
}

API int nvmlDeviceGetPcieThroughput(nvml_device d, unsigned counter, unsigned *kb);
API int nvmlDeviceGetPcieThroughput(nvml_device d, unsigned counter, unsigned *kb)
{
    (void)d;
    return give(kb, counter == NVML_PCIE_RX ? 2000000 : 1000);
}

API int nvmlDeviceGetCurrPcieLinkGeneration(nvml_device d, unsigned *g);
API int nvmlDeviceGetCurrPcieLinkGeneration(nvml_device d, unsigned *g)
{
    const char *mode = getenv("FAKE_NVML");
    const char *at = mode ? strstr(mode, "gen=") : NULL;
    (void)d;
    return give(g, at ? (unsigned)atoi(at + 4) : 5);
}

API int nvmlDeviceGetComputeRunningProcesses_v3(nvml_device d, unsigned *n, struct nvml_process *p);
API int nvmlDeviceGetComputeRunningProcesses_v3(nvml_device d, unsigned *n, struct nvml_process *p)
{
    if (index_of(d) == 1) {
        *n = 0;
        return NVML_OK;
    }
    p[0] = (struct nvml_process){.pid = 4242, .used = 20ull << 30};
    p[1] = (struct nvml_process){.pid = 5000, .used = ~0ull};
    *n = 2;
    if (is("shared")) /* a process of another MIG instance */
        p[(*n)++] = (struct nvml_process){.pid = 4242, .used = 1ull << 30};
    return NVML_OK;
}

API int nvmlDeviceGetProcessUtilization(nvml_device d, struct nvml_sample *s, unsigned *n,
                                        unsigned long long last);
API int nvmlDeviceGetProcessUtilization(nvml_device d, struct nvml_sample *s, unsigned *n,
                                        unsigned long long last)
{
    if (index_of(d) == 1 || last >= 2000) {
        *n = 0;
        return NVML_NOT_FOUND;
    }
    s[0] = (struct nvml_sample){.pid = 4242, .time_us = 1000, .sm = 10};
    s[1] = (struct nvml_sample){.pid = 4242, .time_us = 2000, .sm = 88, .memory = 40};
    *n = 2;
    return NVML_OK;
}
#endif

#ifdef ALL
API int nvmlDeviceGetGraphicsRunningProcesses_v3(nvml_device d, unsigned *n,
                                                 struct nvml_process *p);
API int nvmlDeviceGetGraphicsRunningProcesses_v3(nvml_device d, unsigned *n, struct nvml_process *p)
{
    *n = 0;
    if (index_of(d) == 1 || !is("shared"))
        return NVML_OK;
    p[0] = (struct nvml_process){.pid = 4242, .used = 7ull << 30};
    p[1] = (struct nvml_process){.pid = 6000, .used = 3ull << 30};
    p[2] = (struct nvml_process){.pid = 6000, .used = 2ull << 30};
    *n = 3;
    return NVML_OK;
}

API int nvmlDeviceGetUUID(nvml_device d, char *out, unsigned n);
API int nvmlDeviceGetUUID(nvml_device d, char *out, unsigned n)
{
    snprintf(out, n, "GPU-%d", index_of(d));
    return NVML_OK;
}

API int nvmlDeviceGetMemoryBusWidth(nvml_device d, unsigned *bits);
API int nvmlDeviceGetMemoryBusWidth(nvml_device d, unsigned *bits)
{
    (void)d;
    return give(bits, 6144);
}

API int nvmlDeviceGetMaxClockInfo(nvml_device d, unsigned which, unsigned *mhz);
API int nvmlDeviceGetMaxClockInfo(nvml_device d, unsigned which, unsigned *mhz)
{
    (void)d;
    return give(mhz, which == NVML_CLOCK_MEM ? 3202 : which == NVML_CLOCK_SM ? 1985 : 1);
}

API int nvmlDeviceGetPowerManagementLimitConstraints(nvml_device d, unsigned *least,
                                                     unsigned *most);
API int nvmlDeviceGetPowerManagementLimitConstraints(nvml_device d, unsigned *least, unsigned *most)
{
    (void)d;
    *most = 701000;
    return give(least, 200000);
}

API int nvmlDeviceGetTemperatureThreshold(nvml_device d, unsigned which, unsigned *c);
API int nvmlDeviceGetTemperatureThreshold(nvml_device d, unsigned which, unsigned *c)
{
    (void)d;
    /* temperature at which it slows down; at which it shuts down */
    return give(c, which == 1 ? 87 : 92);
}

API int nvmlDeviceGetMaxPcieLinkWidth(nvml_device d, unsigned *lanes);
API int nvmlDeviceGetMaxPcieLinkWidth(nvml_device d, unsigned *lanes)
{
    (void)d;
    return give(lanes, 16);
}

API int nvmlDeviceGetCurrPcieLinkWidth(nvml_device d, unsigned *lanes);
API int nvmlDeviceGetCurrPcieLinkWidth(nvml_device d, unsigned *lanes)
{
    (void)d;
    return give(lanes, 8);
}

API int nvmlDeviceGetMaxPcieLinkGeneration(nvml_device d, unsigned *g);
API int nvmlDeviceGetMaxPcieLinkGeneration(nvml_device d, unsigned *g)
{
    (void)d;
    return give(g, 6);
}

API int nvmlDeviceGetEncoderUtilization(nvml_device d, unsigned *percent, unsigned *us);
API int nvmlDeviceGetEncoderUtilization(nvml_device d, unsigned *percent, unsigned *us)
{
    *us = 1000;
    return give(percent, index_of(d) == 0 ? 12 : 5);
}

API int nvmlDeviceGetDecoderUtilization(nvml_device d, unsigned *percent, unsigned *us);
API int nvmlDeviceGetDecoderUtilization(nvml_device d, unsigned *percent, unsigned *us)
{
    *us = 1000;
    return give(percent, index_of(d) == 0 ? 3 : 34);
}

API int nvmlDeviceGetTotalEnergyConsumption(nvml_device d, unsigned long long *mj);
API int nvmlDeviceGetTotalEnergyConsumption(nvml_device d, unsigned long long *mj)
{
    (void)d;
    *mj = 1234567890123;
    return NVML_OK;
}

API int nvmlDeviceGetPcieReplayCounter(nvml_device d, unsigned *n);
API int nvmlDeviceGetPcieReplayCounter(nvml_device d, unsigned *n)
{
    (void)d;
    return give(n, 9);
}
#endif
