/* Any text for -e: no crash, no hang, an error with a reason. Uses a recorded machine. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_event/encoding.h"
#include "base/env.h"
#include "support/procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const roots[] = {"tests/data/sysfs/zen4", "tests/data/sysfs/adl",
                                        "tests/data/sysfs/vm-none"};
    struct event_request *rows;
    struct error err = ERROR_INIT;
    size_t n;
    if (!size || size > 4096)
        return 0;
    env_set_root(procfs_tree(roots[data[0] % 3]));
    char *text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    int rc = event_list_parse(text, &rows, &n, &err);
    if (rc == 0 ? !n || n > 256 : !*err.what || !*err.why || rows)
        abort();
    for (size_t i = 0; rc == 0 && i < n; i++)
        if (!*rows[i].enc.pmu || rows[i].enc.scale <= 0)
            abort();
    free(rows);
    free(text);
    return 0;
}
