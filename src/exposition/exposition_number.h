/* Numbers of the exposition formats: decimal ones, NaN, Inf. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Reads n bytes, all of them; false: they are no number. text[n] may be any byte. The result is the
 * nearest double. */
bool exposition_number(const char *text, size_t n, double *out);
