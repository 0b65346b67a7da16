/* A rooftop that is asked and does what the test says: fake_ask/rooftop, named in ROOFTOP_SELF. */
#ifndef TESTS_SUPPORT_FAKE_ASK_H
#define TESTS_SUPPORT_FAKE_ASK_H

#include <stddef.h>

void fake_ask_new(void);
/* What it does, and the answer that it has: n bytes. */
void fake_ask_set(const char *how, const void *answer, size_t n);
/* Waits until no child of this process is left, running or dead: none may stay. */
void fake_ask_no_child_left(void);
void fake_ask_free(void);

#endif
