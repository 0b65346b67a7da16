/*
 * One number and what is known about it. A value that could not be measured carries the reason; it
 * never counts or shows as 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Units; unit_name() gives the string used in JSON, CSV and documents. */
enum unit {
    UNIT_NONE,        /* a plain ratio */
    UNIT_COUNT,       /* events in the interval */
    UNIT_COUNT_PER_S, /* events/s */
    UNIT_PERCENT,     /* 0..100 (a process may exceed 100 by using several CPUs) */
    UNIT_HZ,          /* cycles/s */
    UNIT_BYTES,
    UNIT_BYTES_PER_S,
    UNIT_SECONDS,
    UNIT_WATT,
    UNIT_JOULE,
    UNIT_FLOP_PER_S,
    UNIT_FLOP_PER_BYTE, /* operational intensity */
    UNIT_PER_CYCLE,     /* e.g. instructions/cycle */
    UNIT_PER_KILO_INS,  /* events per 1000 instructions (MPKI) */
    UNIT_CELSIUS,
    UNIT_SECONDS_PER_S, /* of time that several CPUs spend at once: 2 s/s is two whole CPUs */
    UNIT_COUNT_OF       /* number of units, not a unit */
};

enum validity {
    VALUE_MISSING, /* not measured; `why` is the reason; shown as "n/a" */
    VALUE_PENDING, /* needs another sample first; shown as "…" */
    VALUE_OK,
};

/* Below this share of the interval on the PMU, most of a count is extrapolation: it is marked. Our
 * choice: no manual that we know names a limit. docs/METRICS.md and docs/SNAPSHOT.md say it to
 * users. */
#define VALUE_SHARE_LEAST 0.3F

enum value_flag {
    VALUE_SCALED = 1 << 0,         /* extrapolated: the PMU counted it a part of the time */
    VALUE_LOW_CONFIDENCE = 1 << 1, /* that share was below VALUE_SHARE_LEAST */
    VALUE_MODELLED = 1 << 2,       /* predicted or theoretical, not measured */
    VALUE_CROSS_GROUP = 1 << 3,    /* operands are from different groups: counted at other times */
};

struct value {
    double v;         /* meaningful only when validity == VALUE_OK; never NaN or infinite then */
    const char *why;  /* reason, when VALUE_MISSING; static or as long-lived as the snapshot */
    float running;    /* share of the interval in which it was counted, 0..1 */
    uint8_t unit;     /* enum unit */
    uint8_t validity; /* enum validity */
    uint8_t flags;    /* enum value_flag */
};

static inline struct value value_ok(double v, enum unit unit)
{
    /* A NaN or infinity is a defect of the producer: it must not reach the screen. */
    if (v != v || v > 1.7e308 || v < -1.7e308)
        return (struct value){.why = "not a finite number", .unit = (uint8_t)unit};
    return (struct value){.v = v, .running = 1, .unit = (uint8_t)unit, .validity = VALUE_OK};
}

static inline struct value value_missing(const char *why, enum unit unit)
{
    return (struct value){.why = why, .unit = (uint8_t)unit, .validity = VALUE_MISSING};
}

static inline struct value value_pending(enum unit unit)
{
    return (struct value){
        .why = "needs a second sample", .unit = (uint8_t)unit, .validity = VALUE_PENDING};
}

/* "instructions/cycle", "B/s", "%", … ; never NULL, "" for UNIT_NONE. */
const char *unit_name(enum unit unit);

/* The base unit as names of metrics end with it: "bytes", "ratio"; "" for none. A value divided by
 * *per is in it. */
const char *unit_base_name(enum unit unit, double *per);

enum { VALUE_TEXT_MAX = 24 };
/*
 * Formats v for people: 3 to 4 significant digits, an SI prefix (k M G T) or for bytes an IEC one
 * (KiB MiB), and the short unit: "1.23 G/s", "3.41 GHz", "42.1 %", "n/a", "…" ("..." if ascii). A
 * scaled value is not marked here; columns show the share. Returns out.
 */
const char *value_format(const struct value *v, int ascii, char out[VALUE_TEXT_MAX]);

/* v in a unit, as value_format writes it; NaN as "n/a". Returns out. */
const char *value_text(double v, enum unit unit, bool ascii, char out[VALUE_TEXT_MAX]);
/* ns as "1.23 ms", 0 as "0 s", NaN as "n/a". Returns out. */
const char *value_time(double ns, bool ascii, char out[VALUE_TEXT_MAX]);
/*
 * How fast a number changes, told for no longer than it was measured: "+47 MiB in 650 ms"; after a
 * second or more "+50 MiB/s", after a minute or more "+3.2 GiB/min". over_s: the time that was
 * measured. NaN is "n/a". Returns out.
 */
enum { SLOPE_TEXT = 64 };
const char *value_slope(double per_s, double over_s, enum unit unit, bool ascii,
                        char out[SLOPE_TEXT]);
/* Sizes of a grid or block without trailing ones: "(8, 342)", "256". Returns out. */
enum { SIZES_TEXT = 40 };
const char *value_sizes(const uint32_t sizes[3], char out[SIZES_TEXT]);
/* The blocks of a grid that counts work-items, as HSA does; 0 where a size is 0. Returns out. */
const uint32_t *value_blocks(const uint32_t items[3], const uint32_t block[3], uint32_t out[3]);
/* A launch's grid, in blocks, and its block, in threads: "grid (8, 342), block 128". Returns out.
 */
enum { LAUNCH_TEXT = 2 * SIZES_TEXT + 16 };
const char *value_launch(const uint32_t grid[3], const uint32_t block[3], char out[LAUNCH_TEXT]);
/* The same below a head that names both: "(8, 342), 128". Returns out. */
const char *value_launch_sizes(const uint32_t grid[3], const uint32_t block[3],
                               char out[LAUNCH_TEXT]);
/* 0.123 as "12.3", NaN as "n/a". Returns out. */
enum { SHARE_PERCENT = 16 };
const char *share_percent(double share, char out[SHARE_PERCENT]);
