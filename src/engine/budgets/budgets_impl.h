/* Shared by loading and judging: the table of kinds and their fields. */
#pragma once

#include "engine/budgets/budgets.h"

enum budget_field_type {
    FIELD_NUMBER, /* double */
    FIELD_WHOLE,  /* double without fraction */
    FIELD_CALLS,  /* names of calls, one or several: text with spaces between */
    FIELD_REGEX,  /* text, compiled once to check it */
    FIELD_CHOICE, /* one of choices */
    FIELD_TEXT,
    FIELD_RULE,    /* name of an anti-pattern */
    FIELD_PROGRAMS /* one or several: text with newlines between */
};

struct budget_field {
    const char *key;
    uint8_t type;
    bool needed;
    size_t offset; /* in struct budget */
    double scale;  /* factor from the file's unit to the kind's unit; 0 is 1 */
    double least, most;
    const char *choices; /* separated by | */
};

/* What must have been recorded of a run, so that a number of it can be measured. */
enum budget_need {
    NEEDS_CALLS = 1,    /* system calls: a profile of a GPU has none */
    NEEDS_TIMES = 2,    /* when calls began and ended */
    NEEDS_WALL = 4,     /* how long the run lasted */
    NEEDS_END = 8,      /* how the command ended */
    NEEDS_RESIDENT = 16 /* resident memory */
};
/* Says what of this (enum budget_need) was not recorded of the run; NULL: nothing is missing. */
const char *budget_lack(const struct budget_run *run, unsigned needs);

enum { BUDGET_FIELDS = 6 };
struct budget_kind {
    const char *name;
    const char *aliases; /* other spellings, separated by spaces */
    uint8_t unit;
    uint8_t needs;    /* enum budget_need; the budget's own choices may need more */
    const char *help; /* what to do about a violation */
    /* Fills measured and where; or state BUDGET_UNKNOWN and why. */
    void (*measure)(const struct budget *b, const struct budget_run *run,
                    struct budget_verdict *out);
    struct budget_field fields[BUDGET_FIELDS]; /* ended by key NULL */
};

/* In budget_regression.c: how much more than the golden trace, in percent. */
void budget_time_regression(const struct budget *b, const struct budget_run *run,
                            struct budget_verdict *out);
void budget_call_regression(const struct budget *b, const struct budget_run *run,
                            struct budget_verdict *out);

extern const struct budget_kind budget_kinds[];
extern const size_t budget_kinds_count;
extern const struct budget_kind *const budget_kind_exit;
const struct budget_kind *budget_kind_find(const char *name);

/* Whether text as a whole matches the budget's pattern; true if it has none. */
bool budget_matches(const struct budget *b, const char *text);
/* The expression of `custom`: 0, or -EINVAL with err ("column N", why). With run NULL it is only
 * checked. *holds: whether it is true. */
int budget_expression(const char *text, const struct budget_run *run, bool *holds,
                      struct error *err);
/* Names for the expression, for documents: "wall_ms", …, "CALL.calls", …; NULL after the last. */
const char *budget_expression_name(size_t i);
