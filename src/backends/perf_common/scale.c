#include "backends/perf_common/scale.h"

static const double FULL_ABOVE =
    0.9999; /* the clocks of enabled and running are read separately: allow a difference */

const char scale_why_never[] =
    "never scheduled in this interval: other events held the PMU's counters";

bool scale_advance(struct count *last, struct count now, struct count *out)
{
    struct count prev = *last;
    *last = now;
    *out = (struct count){0};
    if (now.enabled < prev.enabled || now.running < prev.running)
        return false;
    /* A smaller value is a 64-bit wrap only if the previous one was in the upper half. */
    if (now.value < prev.value && !(prev.value >> 63 && !(now.value >> 63)))
        return false;
    out->value = now.value - prev.value;
    out->enabled = now.enabled - prev.enabled;
    out->running = now.running - prev.running;
    return true;
}

void scale_add(struct count_sum *sum, const struct count *delta, unsigned intervals)
{
    double part = 1.0 / (intervals ? intervals : 1);
    sum->places++;
    sum->raw += delta->value;
    sum->enabled += delta->enabled;
    sum->running += delta->running;
    if (intervals > 1)
        sum->stretched = true;
    if (!delta->running)
        return;
    double factor = 1;
    if (delta->enabled > delta->running)
        factor = (double)delta->enabled / (double)delta->running;
    if (factor < 1 / FULL_ABOVE)
        factor = 1;
    sum->scaled += (double)delta->value * factor * part;
    sum->covered += delta->enabled;
}

struct value scale_value(const struct count_sum *sum, enum scale_mode mode, double factor,
                         enum unit unit)
{
    if (!sum->places)
        return value_pending(unit);
    if (!sum->running) {
        if (sum->enabled)
            return value_missing(scale_why_never, unit);
        if (mode == SCALE_CPU)
            return value_missing("not counted in this interval", unit);
        return value_ok(0, unit);
    }
    if (mode == SCALE_RAW)
        return value_ok((double)sum->raw * factor, unit);
    double total = sum->scaled;
    /* Assumes that places that were never scheduled or did not answer are like the others; the
     * share shows this. */
    if (sum->covered && sum->enabled > sum->covered)
        total *= (double)sum->enabled / (double)sum->covered;
    double share = sum->enabled ? (double)sum->running / (double)sum->enabled : 1;
    if (sum->pending) {
        double answered = (double)sum->places / (double)(sum->places + sum->pending);
        total /= answered;
        share *= answered;
    }
    struct value v = value_ok(total * factor, unit);
    if (share < FULL_ABOVE) {
        v.running = (float)share;
        v.flags |= VALUE_SCALED;
        if (v.running < VALUE_SHARE_LEAST)
            v.flags |= VALUE_LOW_CONFIDENCE;
    }
    if (sum->stretched)
        v.flags |= VALUE_SCALED;
    return v;
}
