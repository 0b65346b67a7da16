/* Finds the kernel's number for a tracepoint "system:event". */
#pragma once

#include <stdint.h>

#include "base/error.h"

/*
 * *id is for PERF_TYPE_TRACEPOINT; both places where tracefs may be mounted are tried. Returns 1
 * where "system" is not a directory of tracefs (the name may be of another kind). ERROR_USAGE for
 * an unknown event of a known system, ERROR_PERMISSION where the id may not be read,
 * ERROR_UNSUPPORTED (with the mount command) where tracefs is not mounted.
 */
int tracepoint_id(const char *system, const char *event, uint64_t *id, struct error *err);
