/* Finds the clock of a file's times, and the time of day at its start. */
#include "backends/nsys/nsys_impl.h"

/* Reads TARGET_INFO_SESSION_START_TIME, in exports since 2021: the time of day at timestamp 0
 * ("SQLite Export Schema Reference"). */
int nsys_read_clock(struct nsys *n)
{
    static const char *const columns[] = {"utcEpochNs"};
    struct trace_clock clock = {n->first_host, GRAPH_NONE, GRAPH_NONE, GRAPH_UNKNOWN, 0};
    struct sqlite_rows r;
    int64_t epoch;
    int rc = sqlite_rows_open(&r, &n->file, "TARGET_INFO_SESSION_START_TIME", columns, 1);
    if (rc == 0)
        rc = sqlite_rows_next(&r);
    if (rc == 1 && sqlite_rows_int(&r, 0, &epoch) && epoch > 0)
        clock.unix_ns = (uint64_t)epoch;
    sqlite_rows_close(&r);
    trace_tell_clock(n->t, &clock);
    return rc < 0 ? rc : 0;
}
