/* Pictures and texts that are kept in tests/data/golden. A picture shows where things stand and
 * that nothing moved unseen; a number in it needs a test of its own, as the one who writes pictures
 * anew looks at many at once. */
#ifndef TESTS_SUPPORT_GOLDEN_H
#define TESTS_SUPPORT_GOLDEN_H

/* Fails with the first line that differs. With UPDATE_GOLDEN in the environment a file that differs
 * or is missing is written instead. */
void golden_is(const char *path, const char *text);
/* What main returns: a run that wrote files tested nothing by them, and does not pass. */
int golden_end(int failed);

#endif
