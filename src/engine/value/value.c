#include "engine/value/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum scale { SCALE_SI, SCALE_IEC, SCALE_PLAIN };

/* name: in JSON, CSV and documents. suffix: behind a number on the screen, after the prefix. base:
 * as OpenMetrics names base units; per: how many of ours are one of them. */
static const struct {
    const char *name, *suffix;
    enum scale scale;
    const char *base;
    double per;
} units[UNIT_COUNT_OF] = {
    [UNIT_NONE] = {"", "", SCALE_PLAIN, "", 1},
    [UNIT_COUNT] = {"count", "", SCALE_SI, "", 1},
    [UNIT_COUNT_PER_S] = {"1/s", "/s", SCALE_SI, "per_second", 1},
    [UNIT_PERCENT] = {"%", "%", SCALE_PLAIN, "ratio", 100},
    [UNIT_HZ] = {"Hz", "Hz", SCALE_SI, "hertz", 1},
    [UNIT_BYTES] = {"B", "B", SCALE_IEC, "bytes", 1},
    [UNIT_BYTES_PER_S] = {"B/s", "B/s", SCALE_SI, "bytes_per_second", 1},
    [UNIT_SECONDS] = {"s", "s", SCALE_SI, "seconds", 1},
    [UNIT_WATT] = {"W", "W", SCALE_SI, "watts", 1},
    [UNIT_JOULE] = {"J", "J", SCALE_SI, "joules", 1},
    [UNIT_FLOP_PER_S] = {"FLOP/s", "FLOP/s", SCALE_SI, "operations_per_second", 1},
    [UNIT_FLOP_PER_BYTE] = {"FLOP/B", "FLOP/B", SCALE_PLAIN, "operations_per_byte", 1},
    [UNIT_PER_CYCLE] = {"1/cycle", "/cyc", SCALE_PLAIN, "per_cycle", 1},
    [UNIT_PER_KILO_INS] = {"1/kinst", "/ki", SCALE_PLAIN, "per_instruction", 1000},
    [UNIT_CELSIUS] = {"degC", "C", SCALE_PLAIN, "celsius", 1},
    [UNIT_SECONDS_PER_S] = {"s/s", "s/s", SCALE_PLAIN, "ratio", 1},
};

const char *unit_base_name(enum unit unit, double *per)
{
    const enum unit u = (unsigned)unit < UNIT_COUNT_OF ? unit : UNIT_NONE;
    *per = units[u].per;
    return units[u].base;
}

const char *unit_name(enum unit unit)
{
    return (unsigned)unit < UNIT_COUNT_OF ? units[unit].name : "";
}

/* Chooses the prefix after rounding to three digits, so that 999.96 becomes "1.00k", never "1000".
 */
static double reduce_to_prefix(double v, enum scale scale, enum unit unit, const char **prefix)
{
    static const char *const si[] = {"", "k", "M", "G", "T", "P", "E"};
    static const char *const iec[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    static const char *const small[] = {"", "m", "u", "n", "p"};
    double step = scale == SCALE_IEC ? 1024 : 1000;
    int n = 0;
    if (unit == UNIT_SECONDS && v != 0) {
        while (fabs(v) < 0.9995 && n < 4) {
            v *= 1000;
            n++;
        }
        if (n) {
            *prefix = small[n];
            return v;
        }
        *prefix = "";
        return v; /* seconds are not grouped into kiloseconds */
    }
    while (fabs(v) >= step - 0.5 && n < 6) {
        v /= step;
        n++;
    }
    *prefix = scale == SCALE_IEC ? iec[n] : si[n];
    return v;
}

const char *value_format(const struct value *v, int ascii, char out[VALUE_TEXT_MAX])
{
    if (v->validity != VALUE_OK || !isfinite(v->v)) {
        const char *word = "n/a";
        if (v->validity == VALUE_PENDING)
            word = ascii ? "..." : "…";
        snprintf(out, VALUE_TEXT_MAX, "%s", word);
        return out;
    }
    enum unit unit = v->unit < UNIT_COUNT_OF ? v->unit : UNIT_NONE;
    const char *prefix = "";
    double x = v->v;
    if (units[unit].scale != SCALE_PLAIN)
        x = reduce_to_prefix(x, units[unit].scale, unit, &prefix);
    double m = fabs(x);
    /* a whole number of plain events needs no decimals */
    int digits = m >= 9.995 ? 1 : 2;
    if (m >= 99.95)
        digits = 0;
    if ((unit == UNIT_COUNT || unit == UNIT_BYTES) && !*prefix && x == floor(x))
        digits = 0;
    if (unit == UNIT_PERCENT)
        digits = m >= 99.95 ? 0 : 1;
    if (x == 0)
        x = 0; /* no "-0.0" */
    const char *gap = *prefix || *units[unit].suffix ? " " : "";
    snprintf(out, VALUE_TEXT_MAX, "%.*f%s%s%s", digits, x, gap, prefix, units[unit].suffix);
    return out;
}

const char *value_text(double v, enum unit unit, bool ascii, char out[VALUE_TEXT_MAX])
{
    const struct value x = value_ok(v, unit);
    return value_format(&x, ascii, out);
}

const char *value_time(double ns, bool ascii, char out[VALUE_TEXT_MAX])
{
    if (isnan(ns))
        return strcpy(out, "n/a");
    if (ns == 0)
        return strcpy(out, "0 s");
    return value_text(ns / 1e9, UNIT_SECONDS, ascii, out);
}

/* A slope is no more exact than two digits: "46 MiB", not "46.1 MiB". */
static void round_to_two_digits(char text[VALUE_TEXT_MAX])
{
    char rest[VALUE_TEXT_MAX], *end;
    const double number = strtod(text, &end);
    snprintf(rest, sizeof rest, "%s", end);
    if (number >= 9.5)
        snprintf(text, VALUE_TEXT_MAX, "%.0f%s", number, rest);
}

const char *value_slope(double per_s, double over_s, enum unit unit, bool ascii,
                        char out[SLOPE_TEXT])
{
    enum { MINUTE = 60 };
    char number[VALUE_TEXT_MAX], time[VALUE_TEXT_MAX];
    double unit_s = over_s >= MINUTE ? MINUTE : 1;
    if (over_s < 1)
        unit_s = over_s;
    const struct value change = value_ok(fabs(per_s) * unit_s, unit);
    const char *sign = per_s < 0 ? "-" : "+";
    value_format(&change, ascii, number);
    if (change.validity != VALUE_OK)
        return strcpy(out, number);
    round_to_two_digits(number);
    if (over_s < 1)
        snprintf(out, SLOPE_TEXT, "%s%s in %s", sign, number,
                 value_time(1e9 * over_s, ascii, time));
    else
        snprintf(out, SLOPE_TEXT, "%s%s%s", sign, number, over_s < MINUTE ? "/s" : "/min");
    return out;
}

const char *value_sizes(const uint32_t sizes[3], char out[SIZES_TEXT])
{
    if (sizes[2] > 1)
        snprintf(out, SIZES_TEXT, "(%u, %u, %u)", sizes[0], sizes[1], sizes[2]);
    else if (sizes[1] > 1)
        snprintf(out, SIZES_TEXT, "(%u, %u)", sizes[0], sizes[1]);
    else
        snprintf(out, SIZES_TEXT, "%u", sizes[0]);
    return out;
}

const uint32_t *value_blocks(const uint32_t items[3], const uint32_t block[3], uint32_t out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = block[i] ? items[i] / block[i] : 0;
        out[i] += block[i] && items[i] % block[i];
    }
    return out;
}

const char *value_launch(const uint32_t grid[3], const uint32_t block[3], char out[LAUNCH_TEXT])
{
    char blocks[SIZES_TEXT], threads[SIZES_TEXT];
    snprintf(out, LAUNCH_TEXT, "grid %s, block %s", value_sizes(grid, blocks),
             value_sizes(block, threads));
    return out;
}

const char *value_launch_sizes(const uint32_t grid[3], const uint32_t block[3],
                               char out[LAUNCH_TEXT])
{
    char blocks[SIZES_TEXT], threads[SIZES_TEXT];
    snprintf(out, LAUNCH_TEXT, "%s, %s", value_sizes(grid, blocks), value_sizes(block, threads));
    return out;
}

const char *share_percent(double share, char out[SHARE_PERCENT])
{
    snprintf(out, SHARE_PERCENT, isnan(share) ? "n/a" : "%.1f", 100 * share);
    return out;
}
