/* A test that cannot be made here says why: tests/run.sh takes a skip without a reason for a
 * failure. */
#ifndef TESTS_SUPPORT_SKIP_H
#define TESTS_SUPPORT_SKIP_H

/* "skipped: ", what is not tested, why, and what would help; does not come back. */
_Noreturn void skip_because(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
