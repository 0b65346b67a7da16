/* Reads numbers from files of one card, with the reason where there is none. */
#ifndef ROOFTOP_BACKENDS_AMDGPU_SYSFS_IMPL_H
#define ROOFTOP_BACKENDS_AMDGPU_SYSFS_IMPL_H

#include "backends/amdgpu/sysfs.h"

/* Makes a missing value. rc: -errno of a file that could not be read, or 0: it was empty. */
struct value amd_reason(int rc, enum unit unit);
/* The number at the start of the file, times scale. */
struct value amd_number(const char *folder, const char *name, double scale, enum unit unit);
/* The same for the card's hwmon. */
struct value amd_sensor(const struct amd_card *c, const char *name, double scale, enum unit unit);

#endif
