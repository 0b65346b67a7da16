#include "backends/common/waiting_call.h"

#include <inttypes.h>
#include <stdio.h>

#include "backends/common/proc_file.h"

bool waiting_call_read(pid_t pid, pid_t tid, struct waiting_call *out)
{
    char path[64], text[256];
    uint64_t *a = out->args;
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
    return file_line(path, text, sizeof text) > 0 &&
           sscanf(text,
                  "%" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
                  " %" SCNx64,
                  &out->number, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5],
                  &out->stack_pointer) == 8 &&
           out->number >= 0;
}
