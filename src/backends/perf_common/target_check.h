/* Checks at open whether the target exists and may be watched, and says so in one clear line. */
#pragma once

#include <sys/types.h>

#include "backends/perf_common/context.h"
#include "backends/perf_common/sys.h"
#include "base/error.h"

/* ERROR_TARGET if a process does not exist, ERROR_PERMISSION if one belongs to another user and the
 * kernel refuses us. It is no error here if perf refuses everything (paranoid level, container).
 * *owner: the user of the first process. */
int target_check_pids(const struct perf_sys *sys, const struct perf_context *c, const pid_t *pids,
                      size_t n, uid_t *owner, struct error *err);
/* Opens the cgroup's directory (relative paths: below /sys/fs/cgroup). The caller closes *fd.
 * ERROR_TARGET, ERROR_PERMISSION. */
int target_open_cgroup(const char *path, int *fd, struct error *err);
