#include "support/opened.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct analysis streams;

static void close_it(void)
{
    analysis_close(&streams);
}

const struct analysis *opened_streams(void)
{
    static const char *const path = "tests/data/path/streams.json";
    struct error err = ERROR_INIT;
    if (!streams.trace.calls) {
        if (analysis_open(&streams, &path, 1, &err) != 0)
            fail_msg("%s: %s", path, err.why);
        atexit(close_it);
    }
    return &streams;
}
