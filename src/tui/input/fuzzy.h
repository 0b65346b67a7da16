/* How well what was typed fits a name: for lists that narrow while one types. */
#ifndef ROOFTOP_TUI_INPUT_FUZZY_H
#define ROOFTOP_TUI_INPUT_FUZZY_H

/*
 * The letters of pattern must stand in text in that order, case not counted. Higher is better: the
 * whole name, then its beginning, then beginnings of its words, then letters side by side. 0 for
 * an empty pattern; -1 = does not fit.
 */
int fuzzy_score(const char *pattern, const char *text);

#endif
