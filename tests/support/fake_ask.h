/* Replaces the rooftop that is asked (engine/live/ask.h) by fake_ask/rooftop, which does what the
 * test says. ROOFTOP_SELF names it. */
#pragma once

#include <stddef.h>

void fake_ask_new(void);
/* Sets what it does, and its answer of n bytes. */
void fake_ask_set(const char *how, const void *answer, size_t n);
/* Waits until this process has no child left, running or dead. */
void fake_ask_no_child_left(void);
void fake_ask_free(void);
