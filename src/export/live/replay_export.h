/* The list of captures as a part of a snapshot's documents. */
#pragma once

#include <stdio.h>

#include <cjson/cJSON.h>

#include "engine/replay/replay_list.h"

/* Makes the member "replays" of a snapshot (docs/SNAPSHOT.md). The caller owns it. */
cJSON *replay_list_json(const struct replay_list *l);
/* Writes rows for a snapshot's CSV: kind "replay", name "KERNEL.average" and the like. time: the
 * column `time` of the snapshot's rows. */
void replay_list_csv(FILE *out, const struct replay_list *l, const char *time);
