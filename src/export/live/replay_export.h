/* The list of captures as part of documents. */
#ifndef ROOFTOP_EXPORT_LIVE_REPLAY_EXPORT_H
#define ROOFTOP_EXPORT_LIVE_REPLAY_EXPORT_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "engine/replay/replay_list.h"

/* "replays" of a document: docs/SNAPSHOT.md. */
cJSON *replay_list_json(const struct replay_list *l);
/* Rows of a snapshot's CSV: kind "replay", name "KERNEL.average" and the like. time: theirs. */
void replay_list_csv(FILE *out, const struct replay_list *l, const char *time);

#endif
