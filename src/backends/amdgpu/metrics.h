/*
 * The binary file gpu_metrics of amdgpu: a header {u16 size, u8 format, u8 content} and a structure
 * of that version. A field of all ones was not measured. Layouts and units: metrics_table.c.
 */
#ifndef ROOFTOP_BACKENDS_AMDGPU_METRICS_H
#define ROOFTOP_BACKENDS_AMDGPU_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { METRICS_BYTES_MAX = 65535 }; /* what the header's size can say */

enum metrics_field {
    METRICS_TEMP_EDGE, /* °C */
    METRICS_TEMP_HOTSPOT,
    METRICS_TEMP_MEM,
    METRICS_TEMP_HBM, /* the hottest stack */
    METRICS_TEMP_SOC,
    METRICS_GFX_BUSY, /* % */
    METRICS_MEM_BUSY,
    METRICS_MEDIA_BUSY, /* the busiest engine */
    METRICS_POWER,      /* W */
    METRICS_ENERGY,     /* J, ever growing */
    METRICS_GFX_HZ,     /* the fastest die */
    METRICS_SOC_HZ,
    METRICS_MEM_HZ,
    METRICS_FABRIC_HZ,
    METRICS_VIDEO_HZ,
    METRICS_THROTTLE,        /* bits; which is what depends on the chip */
    METRICS_THROTTLE_COMMON, /* bits that mean the same everywhere */
    METRICS_FAN_RPM,
    METRICS_PCIE_WIDTH,     /* lanes */
    METRICS_PCIE_SPEED,     /* transfers/s */
    METRICS_PCIE_BANDWIDTH, /* B/s now */
    METRICS_PCIE_REPLAYS,
    METRICS_LINK_READ, /* B over XGMI, ever growing */
    METRICS_LINK_WRITE,
    METRICS_ACC_COUNT, /* accumulations so far; those below grow with it while they hold */
    METRICS_ACC_PROCHOT,
    METRICS_ACC_POWER,
    METRICS_ACC_SOCKET_TEMP,
    METRICS_ACC_VR_TEMP,
    METRICS_ACC_HBM_TEMP,
    METRICS_DRAM_READ, /* B/s */
    METRICS_DRAM_WRITE,
    METRICS_FIELDS
};

struct metrics {
    unsigned format, content; /* version: 1.3 */
    size_t size;              /* as the header says */
    bool has[METRICS_FIELDS]; /* the version has it, and it was measured */
    uint64_t raw[METRICS_FIELDS];
    double v[METRICS_FIELDS]; /* raw in the unit above */
};

/* 0, or ERROR_INPUT: cut, a version that is not known, a size that does not fit it. path: for err.
 */
int metrics_parse(struct metrics *out, const void *data, size_t n, const char *path,
                  struct error *err);
/* Share of the time between two of the same GPU in which the accumulator grew, %; -1 unknown. */
double metrics_residency(const struct metrics *now, const struct metrics *before,
                         enum metrics_field acc);
/* "power, hot spot": what METRICS_THROTTLE_COMMON says; "" where nothing. Returns out. */
const char *metrics_throttle_text(uint64_t bits, char *out, size_t size);

/* --- the table --- */
struct metrics_layout_field {
    uint8_t field, width, count; /* enum metrics_field; bytes of one; how many in a row */
    uint16_t offset;
    double scale; /* raw * scale is in the field's unit */
};
struct metrics_layout {
    uint8_t format, content;
    uint16_t size; /* sizeof, as that version was first */
    const struct metrics_layout_field *field;
    size_t n;
};
extern const struct metrics_layout metrics_layouts[];
extern const size_t metrics_nlayouts;

#endif
