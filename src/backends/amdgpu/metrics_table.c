/* shape: table */
/* The layouts of gpu_metrics, by version: offsets of the C structures on x86-64 and arm64. Sources:
 * drivers/gpu/drm/amd/include/kgd_pp_interface.h of Linux (5.11 to 6.17), and amd_smi's structures
 * for 1.6 to 1.8, whose last field was added later and is not included in the size. Fields whose
 * unit a version does not document are left out. */
#include "backends/amdgpu/amdgpu_impl.h"

#define MHZ    1e6
#define GT     1e8      /* tenths of GT/s */
#define KIB    1024.0   /* "KiloBytes" */
#define MBYTE  1e6      /* MB/s */
#define MBPS   125000.0 /* Mb/s */
#define CENTI  0.01
#define MILLI  0.001
#define ENERGY (1.0 / 65536) /* 2^-16 J: 15.259 uJ */

/* kgd_pp_interface.h of Linux, struct gpu_metrics_v1_0 */
static const struct metrics_layout_field v1_0[] = {
    {METRICS_TEMP_EDGE, 2, 1, 16, 1},   {METRICS_TEMP_HOTSPOT, 2, 1, 18, 1},
    {METRICS_TEMP_MEM, 2, 1, 20, 1},    {METRICS_GFX_BUSY, 2, 1, 28, 1},
    {METRICS_MEM_BUSY, 2, 1, 30, 1},    {METRICS_MEDIA_BUSY, 2, 1, 32, 1},
    {METRICS_POWER, 2, 1, 34, 1},       {METRICS_GFX_HZ, 2, 1, 54, MHZ},
    {METRICS_SOC_HZ, 2, 1, 56, MHZ},    {METRICS_MEM_HZ, 2, 1, 58, MHZ},
    {METRICS_VIDEO_HZ, 2, 1, 60, MHZ},  {METRICS_THROTTLE, 4, 1, 68, 1},
    {METRICS_FAN_RPM, 2, 1, 72, 1},     {METRICS_PCIE_WIDTH, 1, 1, 74, 1},
    {METRICS_PCIE_SPEED, 1, 1, 75, GT},
};

/* amd_smi's and the kernel's struct gpu_metrics_v1_1 */
static const struct metrics_layout_field v1_1[] = {
    {METRICS_TEMP_EDGE, 2, 1, 4, 1},    {METRICS_TEMP_HOTSPOT, 2, 1, 6, 1},
    {METRICS_TEMP_MEM, 2, 1, 8, 1},     {METRICS_GFX_BUSY, 2, 1, 16, 1},
    {METRICS_MEM_BUSY, 2, 1, 18, 1},    {METRICS_MEDIA_BUSY, 2, 1, 20, 1},
    {METRICS_POWER, 2, 1, 22, 1},       {METRICS_GFX_HZ, 2, 1, 54, MHZ},
    {METRICS_SOC_HZ, 2, 1, 56, MHZ},    {METRICS_MEM_HZ, 2, 1, 58, MHZ},
    {METRICS_VIDEO_HZ, 2, 1, 60, MHZ},  {METRICS_THROTTLE, 4, 1, 68, 1},
    {METRICS_FAN_RPM, 2, 1, 72, 1},     {METRICS_PCIE_WIDTH, 2, 1, 74, 1},
    {METRICS_PCIE_SPEED, 2, 1, 76, GT}, {METRICS_TEMP_HBM, 2, 4, 88, 1},
};

/* amd_smi's and the kernel's struct gpu_metrics_v1_2 */
static const struct metrics_layout_field v1_2[] = {
    {METRICS_TEMP_EDGE, 2, 1, 4, 1},    {METRICS_TEMP_HOTSPOT, 2, 1, 6, 1},
    {METRICS_TEMP_MEM, 2, 1, 8, 1},     {METRICS_GFX_BUSY, 2, 1, 16, 1},
    {METRICS_MEM_BUSY, 2, 1, 18, 1},    {METRICS_MEDIA_BUSY, 2, 1, 20, 1},
    {METRICS_POWER, 2, 1, 22, 1},       {METRICS_GFX_HZ, 2, 1, 54, MHZ},
    {METRICS_SOC_HZ, 2, 1, 56, MHZ},    {METRICS_MEM_HZ, 2, 1, 58, MHZ},
    {METRICS_VIDEO_HZ, 2, 1, 60, MHZ},  {METRICS_THROTTLE, 4, 1, 68, 1},
    {METRICS_FAN_RPM, 2, 1, 72, 1},     {METRICS_PCIE_WIDTH, 2, 1, 74, 1},
    {METRICS_PCIE_SPEED, 2, 1, 76, GT}, {METRICS_TEMP_HBM, 2, 4, 88, 1},
};

/* amd_smi's and the kernel's struct gpu_metrics_v1_3 */
static const struct metrics_layout_field v1_3[] = {
    {METRICS_TEMP_EDGE, 2, 1, 4, 1},
    {METRICS_TEMP_HOTSPOT, 2, 1, 6, 1},
    {METRICS_TEMP_MEM, 2, 1, 8, 1},
    {METRICS_GFX_BUSY, 2, 1, 16, 1},
    {METRICS_MEM_BUSY, 2, 1, 18, 1},
    {METRICS_MEDIA_BUSY, 2, 1, 20, 1},
    {METRICS_POWER, 2, 1, 22, 1},
    {METRICS_GFX_HZ, 2, 1, 54, MHZ},
    {METRICS_SOC_HZ, 2, 1, 56, MHZ},
    {METRICS_MEM_HZ, 2, 1, 58, MHZ},
    {METRICS_VIDEO_HZ, 2, 1, 60, MHZ},
    {METRICS_THROTTLE, 4, 1, 68, 1},
    {METRICS_FAN_RPM, 2, 1, 72, 1},
    {METRICS_PCIE_WIDTH, 2, 1, 74, 1},
    {METRICS_PCIE_SPEED, 2, 1, 76, GT},
    {METRICS_TEMP_HBM, 2, 4, 88, 1},
    {METRICS_THROTTLE_COMMON, 8, 1, 112, 1},
};

/* amd_smi's and the kernel's struct gpu_metrics_v1_4 */
static const struct metrics_layout_field v1_4[] = {
    {METRICS_TEMP_HOTSPOT, 2, 1, 4, 1},   {METRICS_TEMP_MEM, 2, 1, 6, 1},
    {METRICS_POWER, 2, 1, 10, 1},         {METRICS_GFX_BUSY, 2, 1, 12, 1},
    {METRICS_MEM_BUSY, 2, 1, 14, 1},      {METRICS_MEDIA_BUSY, 2, 4, 16, 1},
    {METRICS_ENERGY, 8, 1, 24, ENERGY},   {METRICS_THROTTLE, 4, 1, 40, 1},
    {METRICS_PCIE_WIDTH, 2, 1, 48, 1},    {METRICS_PCIE_SPEED, 2, 1, 50, GT},
    {METRICS_PCIE_REPLAYS, 8, 1, 88, 1},  {METRICS_LINK_READ, 8, 8, 104, KIB},
    {METRICS_LINK_WRITE, 8, 8, 168, KIB}, {METRICS_GFX_HZ, 2, 8, 240, MHZ},
    {METRICS_SOC_HZ, 2, 4, 256, MHZ},     {METRICS_VIDEO_HZ, 2, 4, 264, MHZ},
    {METRICS_MEM_HZ, 2, 1, 280, MHZ},
};

/* amd_smi's and the kernel's struct gpu_metrics_v1_5 */
static const struct metrics_layout_field v1_5[] = {
    {METRICS_TEMP_HOTSPOT, 2, 1, 4, 1},   {METRICS_TEMP_MEM, 2, 1, 6, 1},
    {METRICS_POWER, 2, 1, 10, 1},         {METRICS_GFX_BUSY, 2, 1, 12, 1},
    {METRICS_MEM_BUSY, 2, 1, 14, 1},      {METRICS_MEDIA_BUSY, 2, 4, 16, 1},
    {METRICS_ENERGY, 8, 1, 88, ENERGY},   {METRICS_THROTTLE, 4, 1, 104, 1},
    {METRICS_PCIE_WIDTH, 2, 1, 112, 1},   {METRICS_PCIE_SPEED, 2, 1, 114, GT},
    {METRICS_PCIE_REPLAYS, 8, 1, 152, 1}, {METRICS_LINK_READ, 8, 8, 176, KIB},
    {METRICS_LINK_WRITE, 8, 8, 240, KIB}, {METRICS_GFX_HZ, 2, 8, 312, MHZ},
    {METRICS_SOC_HZ, 2, 4, 328, MHZ},     {METRICS_VIDEO_HZ, 2, 4, 336, MHZ},
    {METRICS_MEM_HZ, 2, 1, 352, MHZ},
};

/* the same version in Linux 6.11, without partitions */
static const struct metrics_layout_field v1_6_early[] = {
    {METRICS_TEMP_HOTSPOT, 2, 1, 4, 1},
    {METRICS_TEMP_MEM, 2, 1, 6, 1},
    {METRICS_POWER, 2, 1, 10, 1},
    {METRICS_GFX_BUSY, 2, 1, 12, 1},
    {METRICS_MEM_BUSY, 2, 1, 14, 1},
    {METRICS_MEDIA_BUSY, 2, 4, 16, 1},
    {METRICS_ENERGY, 8, 1, 88, ENERGY},
    {METRICS_ACC_COUNT, 4, 1, 104, 1},
    {METRICS_ACC_PROCHOT, 4, 1, 108, 1},
    {METRICS_ACC_POWER, 4, 1, 112, 1},
    {METRICS_ACC_SOCKET_TEMP, 4, 1, 116, 1},
    {METRICS_ACC_VR_TEMP, 4, 1, 120, 1},
    {METRICS_ACC_HBM_TEMP, 4, 1, 124, 1},
    {METRICS_THROTTLE, 4, 1, 128, 1},
    {METRICS_PCIE_WIDTH, 2, 1, 136, 1},
    {METRICS_PCIE_SPEED, 2, 1, 138, GT},
    {METRICS_PCIE_BANDWIDTH, 8, 1, 160, MBPS},
    {METRICS_PCIE_REPLAYS, 8, 1, 176, 1},
    {METRICS_LINK_READ, 8, 8, 200, KIB},
    {METRICS_LINK_WRITE, 8, 8, 264, KIB},
    {METRICS_GFX_HZ, 2, 8, 336, MHZ},
    {METRICS_SOC_HZ, 2, 4, 352, MHZ},
    {METRICS_VIDEO_HZ, 2, 4, 360, MHZ},
    {METRICS_MEM_HZ, 2, 1, 376, MHZ},
};

/* amd_smi's and the kernel's struct gpu_metrics_v1_6 */
static const struct metrics_layout_field v1_6[] = {
    {METRICS_TEMP_HOTSPOT, 2, 1, 4, 1},
    {METRICS_TEMP_MEM, 2, 1, 6, 1},
    {METRICS_POWER, 2, 1, 10, 1},
    {METRICS_GFX_BUSY, 2, 1, 12, 1},
    {METRICS_MEM_BUSY, 2, 1, 14, 1},
    {METRICS_ENERGY, 8, 1, 16, ENERGY},
    {METRICS_ACC_COUNT, 4, 1, 32, 1},
    {METRICS_ACC_PROCHOT, 4, 1, 36, 1},
    {METRICS_ACC_POWER, 4, 1, 40, 1},
    {METRICS_ACC_SOCKET_TEMP, 4, 1, 44, 1},
    {METRICS_ACC_VR_TEMP, 4, 1, 48, 1},
    {METRICS_ACC_HBM_TEMP, 4, 1, 52, 1},
    {METRICS_PCIE_WIDTH, 2, 1, 60, 1},
    {METRICS_PCIE_SPEED, 2, 1, 62, GT},
    {METRICS_PCIE_BANDWIDTH, 8, 1, 88, MBPS},
    {METRICS_PCIE_REPLAYS, 8, 1, 104, 1},
    {METRICS_LINK_READ, 8, 8, 128, KIB},
    {METRICS_LINK_WRITE, 8, 8, 192, KIB},
    {METRICS_GFX_HZ, 2, 8, 264, MHZ},
    {METRICS_SOC_HZ, 2, 4, 280, MHZ},
    {METRICS_VIDEO_HZ, 2, 4, 288, MHZ},
    {METRICS_MEM_HZ, 2, 1, 304, MHZ},
};

/* amd_smi's and the kernel's struct gpu_metrics_v1_7 */
static const struct metrics_layout_field v1_7[] = {
    {METRICS_TEMP_HOTSPOT, 2, 1, 4, 1},
    {METRICS_TEMP_MEM, 2, 1, 6, 1},
    {METRICS_POWER, 2, 1, 10, 1},
    {METRICS_GFX_BUSY, 2, 1, 12, 1},
    {METRICS_MEM_BUSY, 2, 1, 14, 1},
    {METRICS_ENERGY, 8, 1, 24, ENERGY},
    {METRICS_ACC_COUNT, 4, 1, 40, 1},
    {METRICS_ACC_PROCHOT, 4, 1, 44, 1},
    {METRICS_ACC_POWER, 4, 1, 48, 1},
    {METRICS_ACC_SOCKET_TEMP, 4, 1, 52, 1},
    {METRICS_ACC_VR_TEMP, 4, 1, 56, 1},
    {METRICS_ACC_HBM_TEMP, 4, 1, 60, 1},
    {METRICS_PCIE_WIDTH, 2, 1, 68, 1},
    {METRICS_PCIE_SPEED, 2, 1, 70, GT},
    {METRICS_PCIE_BANDWIDTH, 8, 1, 96, MBPS},
    {METRICS_PCIE_REPLAYS, 8, 1, 112, 1},
    {METRICS_LINK_READ, 8, 8, 136, KIB},
    {METRICS_LINK_WRITE, 8, 8, 200, KIB},
    {METRICS_GFX_HZ, 2, 8, 296, MHZ},
    {METRICS_SOC_HZ, 2, 4, 312, MHZ},
    {METRICS_VIDEO_HZ, 2, 4, 320, MHZ},
    {METRICS_MEM_HZ, 2, 1, 336, MHZ},
};

/* amd_smi's and the kernel's struct gpu_metrics_v1_8 */
static const struct metrics_layout_field v1_8[] = {
    {METRICS_TEMP_HOTSPOT, 2, 1, 4, 1},
    {METRICS_TEMP_MEM, 2, 1, 6, 1},
    {METRICS_POWER, 2, 1, 10, 1},
    {METRICS_GFX_BUSY, 2, 1, 12, 1},
    {METRICS_MEM_BUSY, 2, 1, 14, 1},
    {METRICS_ENERGY, 8, 1, 24, ENERGY},
    {METRICS_ACC_COUNT, 4, 1, 40, 1},
    {METRICS_ACC_PROCHOT, 4, 1, 44, 1},
    {METRICS_ACC_POWER, 4, 1, 48, 1},
    {METRICS_ACC_SOCKET_TEMP, 4, 1, 52, 1},
    {METRICS_ACC_VR_TEMP, 4, 1, 56, 1},
    {METRICS_ACC_HBM_TEMP, 4, 1, 60, 1},
    {METRICS_PCIE_WIDTH, 2, 1, 68, 1},
    {METRICS_PCIE_SPEED, 2, 1, 70, GT},
    {METRICS_PCIE_BANDWIDTH, 8, 1, 96, MBPS},
    {METRICS_PCIE_REPLAYS, 8, 1, 112, 1},
    {METRICS_LINK_READ, 8, 8, 136, KIB},
    {METRICS_LINK_WRITE, 8, 8, 200, KIB},
    {METRICS_GFX_HZ, 2, 8, 296, MHZ},
    {METRICS_SOC_HZ, 2, 4, 312, MHZ},
    {METRICS_VIDEO_HZ, 2, 4, 320, MHZ},
    {METRICS_MEM_HZ, 2, 1, 336, MHZ},
};

/* kgd_pp_interface.h of Linux, struct gpu_metrics_v2_0. The units of temperature, power and share
 * are not documented, so those fields are not read. */
static const struct metrics_layout_field v2_0[] = {
    {METRICS_GFX_HZ, 2, 1, 80, MHZ},   {METRICS_SOC_HZ, 2, 1, 82, MHZ},
    {METRICS_MEM_HZ, 2, 1, 84, MHZ},   {METRICS_FABRIC_HZ, 2, 1, 86, MHZ},
    {METRICS_VIDEO_HZ, 2, 1, 88, MHZ}, {METRICS_THROTTLE, 4, 1, 112, 1},
};

/* kgd_pp_interface.h of Linux, struct gpu_metrics_v2_1; units as in 2.0 */
static const struct metrics_layout_field v2_1[] = {
    {METRICS_GFX_HZ, 2, 1, 76, MHZ},   {METRICS_SOC_HZ, 2, 1, 78, MHZ},
    {METRICS_MEM_HZ, 2, 1, 80, MHZ},   {METRICS_FABRIC_HZ, 2, 1, 82, MHZ},
    {METRICS_VIDEO_HZ, 2, 1, 84, MHZ}, {METRICS_THROTTLE, 4, 1, 108, 1},
};

/* kgd_pp_interface.h of Linux, struct gpu_metrics_v2_2; units as in 2.0 */
static const struct metrics_layout_field v2_2[] = {
    {METRICS_GFX_HZ, 2, 1, 76, MHZ},         {METRICS_SOC_HZ, 2, 1, 78, MHZ},
    {METRICS_MEM_HZ, 2, 1, 80, MHZ},         {METRICS_FABRIC_HZ, 2, 1, 82, MHZ},
    {METRICS_VIDEO_HZ, 2, 1, 84, MHZ},       {METRICS_THROTTLE, 4, 1, 108, 1},
    {METRICS_THROTTLE_COMMON, 8, 1, 120, 1},
};

/* kgd_pp_interface.h of Linux, struct gpu_metrics_v2_3; units as in 2.0 */
static const struct metrics_layout_field v2_3[] = {
    {METRICS_GFX_HZ, 2, 1, 76, MHZ},         {METRICS_SOC_HZ, 2, 1, 78, MHZ},
    {METRICS_MEM_HZ, 2, 1, 80, MHZ},         {METRICS_FABRIC_HZ, 2, 1, 82, MHZ},
    {METRICS_VIDEO_HZ, 2, 1, 84, MHZ},       {METRICS_THROTTLE, 4, 1, 108, 1},
    {METRICS_THROTTLE_COMMON, 8, 1, 120, 1},
};

/* kgd_pp_interface.h of Linux, struct gpu_metrics_v2_4: hundredths of a degree and of a percent, mW
 */
static const struct metrics_layout_field v2_4[] = {
    {METRICS_TEMP_EDGE, 2, 1, 4, CENTI}, {METRICS_TEMP_SOC, 2, 1, 6, CENTI},
    {METRICS_GFX_BUSY, 2, 1, 28, CENTI}, {METRICS_MEDIA_BUSY, 2, 1, 30, CENTI},
    {METRICS_POWER, 2, 1, 40, MILLI},    {METRICS_GFX_HZ, 2, 1, 76, MHZ},
    {METRICS_SOC_HZ, 2, 1, 78, MHZ},     {METRICS_MEM_HZ, 2, 1, 80, MHZ},
    {METRICS_FABRIC_HZ, 2, 1, 82, MHZ},  {METRICS_VIDEO_HZ, 2, 1, 84, MHZ},
    {METRICS_THROTTLE, 4, 1, 108, 1},    {METRICS_THROTTLE_COMMON, 8, 1, 120, 1},
};

/* kgd_pp_interface.h of Linux, struct gpu_metrics_v3_0: percent, mW, MHz, MB/s. The unit of
 * temperature is not documented, so it is not read. */
static const struct metrics_layout_field v3_0[] = {
    {METRICS_GFX_BUSY, 2, 1, 42, 1},      {METRICS_MEDIA_BUSY, 2, 1, 44, 1},
    {METRICS_DRAM_READ, 2, 1, 94, MBYTE}, {METRICS_DRAM_WRITE, 2, 1, 96, MBYTE},
    {METRICS_POWER, 4, 1, 112, MILLI},    {METRICS_GFX_HZ, 2, 1, 174, MHZ},
    {METRICS_SOC_HZ, 2, 1, 176, MHZ},     {METRICS_FABRIC_HZ, 2, 1, 182, MHZ},
    {METRICS_VIDEO_HZ, 2, 1, 184, MHZ},   {METRICS_MEM_HZ, 2, 1, 186, MHZ},
};

const struct metrics_layout metrics_layouts[] = {
    {1, 0, 80, v1_0, sizeof v1_0 / sizeof *v1_0},
    {1, 1, 96, v1_1, sizeof v1_1 / sizeof *v1_1},
    {1, 2, 104, v1_2, sizeof v1_2 / sizeof *v1_2},
    {1, 3, 120, v1_3, sizeof v1_3 / sizeof *v1_3},
    {1, 4, 288, v1_4, sizeof v1_4 / sizeof *v1_4},
    {1, 5, 360, v1_5, sizeof v1_5 / sizeof *v1_5},
    {1, 6, 384, v1_6_early, sizeof v1_6_early / sizeof *v1_6_early},
    {1, 6, 1656, v1_6, sizeof v1_6 / sizeof *v1_6},
    {1, 7, 2200, v1_7, sizeof v1_7 / sizeof *v1_7},
    {1, 8, 3864, v1_8, sizeof v1_8 / sizeof *v1_8},
    {2, 0, 120, v2_0, sizeof v2_0 / sizeof *v2_0},
    {2, 1, 120, v2_1, sizeof v2_1 / sizeof *v2_1},
    {2, 2, 128, v2_2, sizeof v2_2 / sizeof *v2_2},
    {2, 3, 152, v2_3, sizeof v2_3 / sizeof *v2_3},
    {2, 4, 168, v2_4, sizeof v2_4 / sizeof *v2_4},
    {3, 0, 264, v3_0, sizeof v3_0 / sizeof *v3_0},
};
const size_t metrics_nlayouts = sizeof metrics_layouts / sizeof *metrics_layouts;
