/* Scores how well typed letters match a name, for lists that narrow while the user types. */
#pragma once

/*
 * The letters of pattern must occur in text in this order; case is ignored. Higher is better: the
 * whole name, then its beginning, then beginnings of words, then adjacent letters. 0 for an empty
 * pattern, -1 for no match.
 */
int fuzzy_score(const char *pattern, const char *text);
