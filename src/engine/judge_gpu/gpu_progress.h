/* What the pairs of a trial say so far: an event of its process, about once a second. */
#pragma once

#include <cjson/cJSON.h>

#include "engine/judge/judge.h"

/* {"event": "pairs", "pairs", "confirms", "modelled", "estimate", "low", "high"}; what is not
 * finite is null. The caller frees it. */
cJSON *gpu_progress_event(const struct judge_progress *p);
/* Reads such an event; null is NaN. false: it is another event, or a damaged one. */
bool gpu_progress_take(struct judge_progress *out, const cJSON *event);
