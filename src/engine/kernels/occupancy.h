/*
 * How many waves (AMD) or warps (NVIDIA) of a kernel fit on a compute unit or SM at one time, and
 * what keeps more from fitting. A theoretical number from registers, LDS (shared memory) and the
 * size of workgroups; the table of processors with its sources is occupancy_table.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct occupancy_arch {
    const char *names;       /* "gfx90a gfx942", "sm_80": space-separated */
    uint8_t wave, simds;     /* work-items of a wave; SIMDs of a unit (partitions of an SM) */
    uint8_t waves;           /* wave slots of a SIMD */
    uint8_t groups;          /* workgroups of more than one wave that a unit can hold */
    uint16_t vgprs, granule; /* 32-bit registers of a lane in a SIMD; step of allocation */
    bool unified; /* accumulation registers come from the same file; else there is a second file of
                     equal size */
    uint32_t lds, lds_granule; /* bytes of a unit, and the step in which they are allocated */
    uint32_t lds_reserved;     /* bytes that the system reserves in each workgroup */
    const char *source;
};
extern const struct occupancy_arch occupancy_table[]; /* terminated by names == NULL */

enum occupancy_limit {
    OCCUPANCY_UNKNOWN,
    OCCUPANCY_SLOTS, /* all slots can be filled */
    OCCUPANCY_VGPRS,
    OCCUPANCY_LDS,
    OCCUPANCY_BLOCK, /* workgroups do not divide the slots, or their number is at its limit */
    OCCUPANCY_LIMITS
};

struct occupancy_use { /* UINT32_MAX = unknown */
    uint32_t block;    /* work-items of a workgroup; 0 = unknown */
    uint32_t vgprs, accum_vgprs, lds_bytes;
};

struct occupancy {
    double waves;  /* waves that fit on a SIMD; NaN = unknown */
    uint32_t most; /* slots of a SIMD */
    enum occupancy_limit limit;
    bool complete; /* registers and LDS are both known; else waves is an upper bound */
    const struct occupancy_arch *arch; /* NULL: not in the table */
};

const struct occupancy_arch *occupancy_arch(const char *name); /* NULL: not in the table */
struct occupancy occupancy_of(const char *arch, const struct occupancy_use *use);
const char *occupancy_limit_name(enum occupancy_limit l); /* "VGPR", "LDS"…; "" unknown */
