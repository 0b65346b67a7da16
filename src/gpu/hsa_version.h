/*
 * The version of the HSA runtime that all of rooftop reports: the number of AMD's interface, which
 * grows with each ROCm release. Before ROCm 6.0, which does not report it, the version of HSA
 * itself. Header only, because the capture library, which runs in other programs, uses it too.
 */
#pragma once

#include <hsa/hsa.h>

/* HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR and _MINOR of hsa_ext_amd.h, which older headers do not
 * have. */
enum { HSA_INFO_AMD_MAJOR = 0x207, HSA_INFO_AMD_MINOR = 0x208 };

static inline void hsa_version(hsa_status_t (*get_info)(hsa_system_info_t, void *), uint16_t *major,
                               uint16_t *minor)
{
    *major = *minor = 0;
    if (get_info((hsa_system_info_t)HSA_INFO_AMD_MAJOR, major) == HSA_STATUS_SUCCESS &&
        get_info((hsa_system_info_t)HSA_INFO_AMD_MINOR, minor) == HSA_STATUS_SUCCESS)
        return;
    get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, major);
    get_info(HSA_SYSTEM_INFO_VERSION_MINOR, minor);
}
