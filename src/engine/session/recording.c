#include "engine/session/recording.h"

static bool keep_snapshot(void *ctx, const struct snapshot *s)
{
    *(const struct snapshot **)ctx = snapshot_ref(s);
    return false;
}

const struct snapshot *recording_frame(struct recording *r, size_t i, struct error *err)
{
    const struct snapshot *s = NULL;
    return recording_scan(r, i, i + 1, RECORDING_ALL, keep_snapshot, &s, err) == 0 ? s : NULL;
}

size_t recording_find(struct recording *r, uint64_t time_ns)
{
    size_t lo = 0, hi = recording_count(r);
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (recording_time(r, mid) <= time_ns)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}
