/* The JSON documents at the end of a replay (docs/CAPTURE.md). */
#pragma once

#include <cjson/cJSON.h>

#include "backends/replay/session.h"

/* Times of n launches, and of the program's own work for them (NULL: unknown). */
cJSON *replay_timing_json(const double *us, const double *host_us, size_t n);
extern const struct fields replay_verdict_record;
/*
 * Adds what all documents have: kernel, execution, restore, capture, environment, notes. code NULL:
 * there are several.
 */
void replay_result_common(cJSON *to, const struct replay_session *s,
                          const struct replay_code *code);
