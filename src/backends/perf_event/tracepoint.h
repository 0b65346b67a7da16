/* Finds the kernel's number for a tracepoint "system:event". */
#pragma once

#include <stdint.h>

#include "base/error.h"

/* Finds *id for PERF_TYPE_TRACEPOINT, in both places where tracefs may be mounted. Returns 1 if
 * "system" is no directory of tracefs, so that the name may be of another kind. ERROR_USAGE for an
 * unknown event of a known system, ERROR_PERMISSION if the id may not be read, ERROR_UNSUPPORTED
 * (with the mount command) if tracefs is not mounted. */
int tracepoint_id(const char *system, const char *event, uint64_t *id, struct error *err);
