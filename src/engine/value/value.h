/*
 * One number and what is known about it. A value that could not be measured carries its reason;
 * it is never 0 and never drawn as 0.
 */
#ifndef ROOFTOP_ENGINE_VALUE_VALUE_H
#define ROOFTOP_ENGINE_VALUE_VALUE_H

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
    UNIT_COUNT_OF /* how many units there are */
};

enum validity {
    VALUE_MISSING, /* not measured: why says the reason; drawn "n/a" */
    VALUE_PENDING, /* not yet: needs another sample; drawn "…" */
    VALUE_OK,
};

enum value_flag {
    VALUE_SCALED = 1 << 0,         /* extrapolated from the share of time it was on the PMU */
    VALUE_LOW_CONFIDENCE = 1 << 1, /* that share was below 30 % */
    VALUE_MODELLED = 1 << 2,       /* a prediction or theoretical number, not a measurement */
    VALUE_CROSS_GROUP = 1 << 3,    /* operands counted in different groups, so at different times */
};

struct value {
    double v;         /* meaningful only when validity == VALUE_OK; never NaN or infinite then */
    const char *why;  /* reason, when VALUE_MISSING; static or as long-lived as the snapshot */
    float running;    /* share of the interval it was really counted, 0..1; 1 = all of it */
    uint8_t unit;     /* enum unit */
    uint8_t validity; /* enum validity */
    uint8_t flags;    /* enum value_flag */
};

static inline struct value value_ok(double v, enum unit unit)
{
    /* A NaN or infinity reaching the screen is a defect of the producer: refuse it here. */
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

enum { VALUE_TEXT_MAX = 24 };
/*
 * Human form in at most VALUE_TEXT_MAX-1 bytes, 3 to 4 significant digits with SI (k M G T) or, for
 * bytes, IEC (KiB MiB) prefixes and the short unit: "1.23 G/s", "3.41 GHz", "42.1 %", "n/a", "…"
 * ("..." when ascii is set). A scaled value gets no mark here; columns show the share. Returns out.
 */
const char *value_format(const struct value *v, int ascii, char out[VALUE_TEXT_MAX]);

/* ns as "1.23 ms", 0 as "0 s", NaN as "n/a". Returns out. */
const char *value_time(double ns, bool ascii, char out[VALUE_TEXT_MAX]);
/* 0.123 as "12.3", NaN as "n/a". Returns out. */
enum { SHARE_PERCENT = 16 };
const char *share_percent(double share, char out[SHARE_PERCENT]);

#endif
