/* Which headers a candidate may include that its baseline does not: one rule for all who look. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether `#include <NAME>` of these n bytes reads a header of the system: below the compiler's
 * folders, and with a header's ending or one of C++'s names without one. Others may be files of
 * the user's, whose lines the compiler's messages show.
 */
bool judge_header_is_harmless(const char *name, size_t n);
