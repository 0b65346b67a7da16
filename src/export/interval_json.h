/* An interval of confidence in documents. */
#pragma once

#include <cjson/cJSON.h>

#include "engine/statistics/interval.h"

/* Adds "KEY": {"estimate", "low", "high"}; null for an unknown bound. */
void json_add_interval(cJSON *to, const char *key, const struct interval *i);
