/*
 * Parses the binary file gpu_metrics of amdgpu: a header {u16 size, u8 format, u8 content} and a
 * structure of that version. A field of all ones was not measured. Layouts and units:
 * metrics_table.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { METRICS_BYTES_MAX = 65535 }; /* the maximum of the header's size field */

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
    METRICS_ENERGY,     /* J, only grows */
    METRICS_GFX_HZ,     /* the fastest die */
    METRICS_SOC_HZ,
    METRICS_MEM_HZ,
    METRICS_FABRIC_HZ,
    METRICS_VIDEO_HZ,
    METRICS_THROTTLE,        /* bits whose meaning depends on the chip */
    METRICS_THROTTLE_COMMON, /* bits with the same meaning on all chips */
    METRICS_FAN_RPM,
    METRICS_PCIE_WIDTH,     /* lanes */
    METRICS_PCIE_SPEED,     /* transfers/s */
    METRICS_PCIE_BANDWIDTH, /* B/s, present */
    METRICS_PCIE_REPLAYS,
    METRICS_LINK_READ, /* B over XGMI, only grows */
    METRICS_LINK_WRITE,
    /* accumulations so far; those below grow with it while their condition holds */
    METRICS_ACC_COUNT,
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
    size_t size;              /* from the header */
    bool has[METRICS_FIELDS]; /* the version has it and it was measured */
    uint64_t raw[METRICS_FIELDS];
    double v[METRICS_FIELDS]; /* raw in the unit above */
};

/*
 * Parses a file. Returns 0 or ERROR_INPUT: cut, an unknown version, or a size that does not fit the
 * version. path: for err.
 */
int metrics_parse(struct metrics *out, const void *data, size_t n, const char *path,
                  struct error *err);
/*
 * In which share of the time between two samples of one GPU the accumulator grew, in %; -1:
 * unknown.
 */
double metrics_residency(const struct metrics *now, const struct metrics *before,
                         enum metrics_field acc);
/*
 * Describes the bits of METRICS_THROTTLE_COMMON: "power, hot spot"; "" where none is set. Returns
 * out.
 */
const char *metrics_throttle_text(uint64_t bits, char *out, size_t size);

/* --- the table --- */
struct metrics_layout_field {
    uint8_t field, width, count; /* enum metrics_field; bytes of one value; number of values */
    uint16_t offset;
    double scale; /* raw * scale has the field's unit */
};
struct metrics_layout {
    uint8_t format, content;
    uint16_t size; /* sizeof the structure in the first release of this version */
    const struct metrics_layout_field *field;
    size_t n;
};
extern const struct metrics_layout metrics_layouts[];
extern const size_t metrics_nlayouts;
