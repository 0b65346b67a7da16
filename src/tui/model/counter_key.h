/* How the rows of counters are named in all views. */
#pragma once

#include "tui/model/view.h"

/*
 * Writes the identity of a counter: "c:", its name, and a hash of set and name, because names may
 * be long and similar.
 */
void counter_key(const struct counter *k, char out[VIEW_TEXT_MAX]);
/* The counter with this key; NULL if the snapshot does not have it. */
const struct counter *counter_find(const struct snapshot *s, const char *key);
