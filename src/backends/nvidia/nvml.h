/*
 * NVIDIA's management library, loaded when needed: libnvidia-ml.so.1 (or the library that
 * ROOFTOP_NVML names) is opened with dlopen. Functions that a driver lacks are NULL; the latest
 * form of a function is used (suffix _v2, _v3). Types and numbers are from the NVML API reference,
 * release 12: https://docs.nvidia.com/deploy/nvml-api.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

typedef void *nvml_device;
enum { NVML_OK = 0, NVML_NOT_SUPPORTED = 3, NVML_NOT_FOUND = 6, NVML_TOO_SMALL = 7 };
enum { NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_CLOCK_VIDEO };
enum { NVML_PCIE_TX, NVML_PCIE_RX };
enum { NVML_FIELD_MEMORY_TEMP = 82, NVML_VALUE_UINT = 1 };

struct nvml_pci { /* nvmlPciInfo_t of _v3 */
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};
struct nvml_utilization {
    unsigned gpu, memory; /* % */
};
struct nvml_memory { /* nvmlMemory_t */
    unsigned long long total, free, used;
};
struct nvml_memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
struct nvml_process { /* nvmlProcessInfo_t of _v2 and _v3 */
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
};
struct nvml_process_v1 {
    unsigned pid;
    unsigned long long used;
};
struct nvml_sample { /* nvmlProcessUtilizationSample_t */
    unsigned pid;
    unsigned long long time_us;
    unsigned sm, memory, encoder, decoder; /* % */
};
struct nvml_field_value {
    unsigned field, scope;
    long long time, latency;
    unsigned type;
    int rc;
    union {
        double d;
        unsigned ui;
        unsigned long long ull;
    } value;
};

/* X(member, symbols newest first, arguments) */
#define NVML_FUNCTIONS(X)                                                                          \
    X(init, "nvmlInit_v2 nvmlInit", (void))                                                        \
    X(shutdown, "nvmlShutdown", (void))                                                            \
    X(driver_version, "nvmlSystemGetDriverVersion", (char *, unsigned))                            \
    X(count, "nvmlDeviceGetCount_v2 nvmlDeviceGetCount", (unsigned *))                             \
    X(handle, "nvmlDeviceGetHandleByIndex_v2 nvmlDeviceGetHandleByIndex",                          \
      (unsigned, nvml_device *))                                                                   \
    X(name, "nvmlDeviceGetName", (nvml_device, char *, unsigned))                                  \
    X(uuid, "nvmlDeviceGetUUID", (nvml_device, char *, unsigned))                                  \
    X(pci, "nvmlDeviceGetPciInfo_v3", (nvml_device, struct nvml_pci *))                            \
    X(capability, "nvmlDeviceGetCudaComputeCapability", (nvml_device, int *, int *))               \
    X(bus_width, "nvmlDeviceGetMemoryBusWidth", (nvml_device, unsigned *))                         \
    X(mig_mode, "nvmlDeviceGetMigMode", (nvml_device, unsigned *, unsigned *))                     \
    X(max_clock, "nvmlDeviceGetMaxClockInfo", (nvml_device, unsigned, unsigned *))                 \
    X(limits, "nvmlDeviceGetPowerManagementLimitConstraints",                                      \
      (nvml_device, unsigned *, unsigned *))                                                       \
    X(threshold, "nvmlDeviceGetTemperatureThreshold", (nvml_device, unsigned, unsigned *))         \
    X(max_width, "nvmlDeviceGetMaxPcieLinkWidth", (nvml_device, unsigned *))                       \
    X(max_generation, "nvmlDeviceGetMaxPcieLinkGeneration", (nvml_device, unsigned *))             \
    X(utilization, "nvmlDeviceGetUtilizationRates", (nvml_device, struct nvml_utilization *))      \
    X(encoder, "nvmlDeviceGetEncoderUtilization", (nvml_device, unsigned *, unsigned *))           \
    X(decoder, "nvmlDeviceGetDecoderUtilization", (nvml_device, unsigned *, unsigned *))           \
    X(memory_v2, "nvmlDeviceGetMemoryInfo_v2", (nvml_device, struct nvml_memory_v2 *))             \
    X(memory, "nvmlDeviceGetMemoryInfo", (nvml_device, struct nvml_memory *))                      \
    X(clock, "nvmlDeviceGetClockInfo", (nvml_device, unsigned, unsigned *))                        \
    X(power, "nvmlDeviceGetPowerUsage", (nvml_device, unsigned *))                                 \
    X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", (nvml_device, unsigned *))                   \
    X(energy, "nvmlDeviceGetTotalEnergyConsumption", (nvml_device, unsigned long long *))          \
    X(temperature, "nvmlDeviceGetTemperature", (nvml_device, unsigned, unsigned *))                \
    X(fields, "nvmlDeviceGetFieldValues", (nvml_device, int, struct nvml_field_value *))           \
    X(fan, "nvmlDeviceGetFanSpeed", (nvml_device, unsigned *))                                     \
    X(ecc, "nvmlDeviceGetTotalEccErrors", (nvml_device, unsigned, unsigned, unsigned long long *)) \
    X(throttle,                                                                                    \
      "nvmlDeviceGetCurrentClocksEventReasons nvmlDeviceGetCurrentClocksThrottleReasons",          \
      (nvml_device, unsigned long long *))                                                         \
    X(pcie, "nvmlDeviceGetPcieThroughput", (nvml_device, unsigned, unsigned *))                    \
    X(replays, "nvmlDeviceGetPcieReplayCounter", (nvml_device, unsigned *))                        \
    X(width, "nvmlDeviceGetCurrPcieLinkWidth", (nvml_device, unsigned *))                          \
    X(generation, "nvmlDeviceGetCurrPcieLinkGeneration", (nvml_device, unsigned *))                \
    X(compute, "nvmlDeviceGetComputeRunningProcesses_v3 nvmlDeviceGetComputeRunningProcesses_v2",  \
      (nvml_device, unsigned *, struct nvml_process *))                                            \
    X(graphics,                                                                                    \
      "nvmlDeviceGetGraphicsRunningProcesses_v3 nvmlDeviceGetGraphicsRunningProcesses_v2",         \
      (nvml_device, unsigned *, struct nvml_process *))                                            \
    X(compute_v1, "nvmlDeviceGetComputeRunningProcesses",                                          \
      (nvml_device, unsigned *, struct nvml_process_v1 *))                                         \
    X(samples, "nvmlDeviceGetProcessUtilization",                                                  \
      (nvml_device, struct nvml_sample *, unsigned *, unsigned long long))

struct nvml {
    void *library;
/* a list of types takes no parentheses of its own */
#define X(member, symbols, arguments) int(*member) arguments; // NOLINT(bugprone-macro-parentheses)
    NVML_FUNCTIONS(X)
#undef X
    const char *(*error_string)(int rc);
};

/* Opens and initialises the library. It is never closed: its texts stay in use, and closing could
 * hang in the driver. Returns 0 or ERROR_UNSUPPORTED: not installed, no driver, no device. */
int nvml_open(struct nvml *out, struct error *err);
/* NVML's text, such as "Not Supported", or the number. */
const char *nvml_reason(const struct nvml *n, int rc);
