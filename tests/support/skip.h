/* Skips a test that cannot be done here, with a reason. tests/run.sh counts a skip without a
 * reason as a failure. */
#pragma once

/* Prints "skipped: " and the reason: what is not tested, why, and what would help. Does not
 * return. */
_Noreturn void skip_because(const char *format, ...) __attribute__((format(printf, 1, 2)));
