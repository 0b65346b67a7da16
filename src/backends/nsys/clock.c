/* Whose clock a file's times are of, and what time of day it began. */
#include "backends/nsys/nsys.h"

/* TARGET_INFO_SESSION_START_TIME: exports of 2021 and later. The time of day at the 0 of all
 * timestamps ("SQLite Export Schema Reference"). */
int nsys_read_clock(struct nsys *n)
{
    static const char *const columns[] = {"utcEpochNs"};
    struct trace_clock clock = {n->first_host, GRAPH_NONE, GRAPH_NONE, GRAPH_UNKNOWN};
    struct sqlite_rows r;
    int64_t epoch;
    int rc = sqlite_rows_open(&r, &n->file, "TARGET_INFO_SESSION_START_TIME", columns, 1);
    rc = rc == 0 ? sqlite_rows_next(&r) : rc;
    if (rc == 1 && sqlite_rows_int(&r, 0, &epoch) && epoch > 0)
        clock.unix_ns = (uint64_t)epoch;
    sqlite_rows_close(&r);
    trace_tell_clock(n->t, &clock);
    return rc < 0 ? rc : 0;
}
