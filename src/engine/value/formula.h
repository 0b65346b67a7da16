/*
 * Arithmetic of the metric tables. A formula is compiled once to reverse Polish notation and
 * evaluated often.
 *
 *   expression = term { (+|-) term }     term = factor { (*|/) factor }
 *   factor = number | name | 'any name' | - factor | ( expression ) | min(e,e,…) | max(e,e,…)
 *
 * A name has letters, digits, '_', and '.' (set.name); a name with any other character is quoted:
 * 'branch-misses'. Numbers are decimal, with '.' whatever the locale says.
 */
#pragma once

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
 * Returns the slot (>= 0) that holds the value of `name`, or -1 with why filled if the name is
 * unknown.
 */
typedef int (*formula_bind)(void *ctx, const char *name, char why[192]);

/* 0, and *out for formula_free. -EINVAL with ERROR_INPUT: err->what is "column N", err->why says
 * what is wrong there. */
int formula_compile(struct formula **out, const char *text, formula_bind bind, void *ctx,
                    struct error *err);
void formula_free(struct formula *f);

/* The slots that f reads, each once, in order of first use; *n is their number. f owns the array.
 */
const int *formula_slots(const struct formula *f, size_t *n);

/*
 * Evaluates f with values[slot] and stores the result in *out. Returns 0, or -ERANGE if a divisor
 * is 0; *why then names the divisor and lives as long as f. The caller checks beforehand that every
 * slot has a value.
 */
int formula_evaluate(const struct formula *f, const double *values, double *out, const char **why);
