/*
 * What every mechanism that traces system calls has to do: programs that are hard to trace behave
 * as without it, and every call is reported. A test sets traced_with and calls
 * traced_suite_list(0).
 */
#pragma once

#include "engine/syscalls/tracer.h"
#include "support/test.h"

extern const struct tracer_ops *traced_with;

/* The last two, from TRACED_HOSTILE on, are those of traced_hostile.h: one by one, as a test that
 * is skipped ends. */
enum { TRACED_HOSTILE = 13, TRACED_SUITE = 15 };
extern const struct CMUnitTest traced_suite[TRACED_SUITE];

/* Lists the tests of the suite from this one on, behind those of the program. */
static inline void traced_suite_list(int first)
{
    for (int i = first; i < TRACED_SUITE; i++)
        test_list_add(traced_suite[i].name, traced_suite[i].test_func, NULL, NULL);
}
