#include "base/search.h"
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
    size_t next = 1;
    SEARCH_FIRST(next, recording_count(r), recording_time(r, next) <= time_ns);
    return next - 1;
}
