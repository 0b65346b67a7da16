/*
 * Arithmetic as the metric tables write it, compiled once to reverse Polish, evaluated often.
 *
 *   expression = term { (+|-) term }     term = factor { (*|/) factor }
 *   factor = number | name | 'any name' | - factor | ( expression ) | min(e,e,…) | max(e,e,…)
 *
 * A name is letters, digits, '_', and '.' (set.name); one that holds anything else is quoted:
 * 'branch-misses'. Numbers are decimal, with '.' whatever the locale says.
 */
#ifndef ROOFTOP_ENGINE_VALUE_FORMULA_H
#define ROOFTOP_ENGINE_VALUE_FORMULA_H

#include <stddef.h>

#include "base/error.h"

enum {
    FORMULA_TEXT_MAX = 2048, /* bytes of text */
    FORMULA_OPS_MAX = 256,   /* numbers, names and operations together */
    FORMULA_DEPTH_MAX = 32,  /* values held at once, and open parentheses */
    FORMULA_NAME_MAX = 96,   /* bytes of one name */
};

struct formula;

/*
 * Gives the slot (>= 0) under which the evaluator finds the value of a name, or -1 with why filled
 * where there is no such name.
 */
typedef int (*formula_bind)(void *ctx, const char *name, char why[192]);

/* -EINVAL with ERROR_INPUT: err->what is "column N", err->why what is wrong there. */
int formula_compile(struct formula **out, const char *text, formula_bind bind, void *ctx,
                    struct error *err);
void formula_free(struct formula *f);

/* The slots it reads, each once; *n of them, in order of first use. */
const int *formula_slots(const struct formula *f, size_t *n);

/*
 * 0 and *out from the values by slot; or -ERANGE where a divisor is 0: *why then says which, and
 * lives as long as f. Whether every slot has a value is for the caller to check.
 */
int formula_evaluate(const struct formula *f, const double *values, double *out, const char **why);

#endif
