/* All AMD GPUs of the host, from sysfs, hwmon, gpu_metrics, KFD and fdinfo, without root. */
#ifndef ROOFTOP_BACKENDS_AMDGPU_AMDGPU_H
#define ROOFTOP_BACKENDS_AMDGPU_AMDGPU_H

#include "engine/live/gpus.h"

struct amdgpu;
struct amdgpu *amdgpu_new(void);
void amdgpu_free(struct amdgpu *a);
/* Reads the present state into an empty b. Blocks as long as the driver does. */
void amdgpu_gather(struct amdgpu *a, struct gpus_build *b, uint64_t now_ns);
/* Whether there is anything to read: checks a directory, uses no GPU. */
bool amdgpu_present(void);

#endif
