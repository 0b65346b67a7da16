#include "engine/trace/left_out.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/trace/trace.h"

static const char *const causes[LEFT_OUT_CAUSES] = {
    [LEFT_OTHER] = "without a valid time, or without room",
    [LEFT_TIMELESS] = "without a readable time",
    [LEFT_LATE] = "with a time too large for microseconds",
    [LEFT_NEGATIVE] = "with an end before its begin",
    [LEFT_ENDLESS] = "longer than nine years",
    [LEFT_FAR] = "far from the time of all others",
    [LEFT_NO_END] = "with a begin and no end",
    [LEFT_NO_BEGIN] = "with an end and no begin",
    [LEFT_NO_EVENT] = "without what makes an event",
    [LEFT_CUT] = "cut off by the end of the file",
    [LEFT_NO_ROOM] = "without room",
    [LEFT_LOST] = "lost when this was recorded",
};

void trace_leave_out_like(struct trace *t, const struct trace *other)
{
    uint64_t known = 0;
    for (int i = 0; i < LEFT_OUT_CAUSES; i++) {
        uint64_t n = trace_left_out_counts(other)[i];
        trace_leave_out(t, (enum left_out)i, n);
        known += n;
    }
    t->dropped += other->dropped > known ? other->dropped - known : 0;
}

uint64_t trace_left_out_of(const struct trace *t, enum left_out cause, const char **what)
{
    const uint64_t *counts = trace_left_out_counts(t);
    uint64_t known = 0;
    *what = causes[cause];
    for (int i = 0; i < LEFT_OUT_CAUSES; i++)
        known += counts[i];
    /* some readers count records without a cause */
    return counts[cause] + (cause == LEFT_OTHER && t->dropped > known ? t->dropped - known : 0);
}

bool trace_left_out(const struct trace *t, char *out, size_t size)
{
    const char *between = "";
    *out = 0;
    if (t->dropped == 0)
        return false;
    size_t n = (size_t)snprintf(out, size, "%" PRIu64 " record%s left out: ", t->dropped,
                                t->dropped == 1 ? " is" : "s are");
    for (int i = 0; i < LEFT_OUT_CAUSES && n < size; i++) {
        const char *cause;
        uint64_t count = trace_left_out_of(t, (enum left_out)i, &cause);
        if (count == 0)
            continue;
        n += (size_t)snprintf(out + n, size - n, "%s%" PRIu64 " %s", between, count, cause);
        between = ", ";
    }
    return true;
}

void trace_note_left_out(struct trace *t)
{
    char text[400];
    const uint32_t before = t->nnotes;
    if (!trace_left_out(t, text, sizeof text))
        return;
    trace_note(t, "%s", text);
    for (uint32_t i = t->nnotes; i-- > 1 && t->nnotes > before;) {
        char *note = t->notes[i];
        t->notes[i] = t->notes[i - 1];
        t->notes[i - 1] = note;
    }
}
