/* The view of system calls as a part of a snapshot's documents. */
#pragma once

#include <stdio.h>

#include <cjson/cJSON.h>

#include "engine/syscalls/snapshot/syscalls_snapshot.h"

/* How many of the newest calls a document lists. */
enum { SYSCALLS_JSON_EVENTS = 200 };

/* Makes the member "syscalls" of a snapshot (docs/SNAPSHOT.md). The caller owns it. */
cJSON *syscalls_snapshot_json(const struct syscalls_snapshot *p);
/* Writes rows for a snapshot's CSV: kind "syscalls_calls", name "read.time" and the like.
 * time: the column `time` of the snapshot's rows. */
void syscalls_snapshot_csv(FILE *out, const struct syscalls_snapshot *p, const char *time);
