/*
 * What every mechanism that traces system calls has to do: programs that are hard to trace behave
 * as without it, and every call is reported. A test sets traced_with and runs TRACED_SUITE.
 */
#pragma once

#include "engine/syscalls/tracer.h"

extern const struct tracer_ops *traced_with;

void a_program_is_traced_from_its_execve_on(void **state);
void threads_are_traced_with_and_without_following(void **state);
void five_thousand_threads_are_traced(void **state);
void children_are_traced_only_when_followed(void **state);
void a_vforked_child_is_followed_into_its_program(void **state);
void a_thread_that_executes_becomes_the_process(void **state);
void a_hundred_programs_one_after_the_other(void **state);
void ten_megabytes_of_arguments(void **state);
void signals_arrive_and_calls_restart(void **state);
void a_signal_that_ends_the_program_ends_it(void **state);
void a_stopped_program_stays_stopped_until_it_is_continued(void **state);
void a_program_sees_the_cpus_that_it_would_have(void **state);
void what_cannot_be_executed_is_said(void **state);
/* traced_hostile.h; one by one, as a test that is skipped ends. */
void hostile_programs_behave_as_without_it(void **state);
void a_number_comes_again(void **state);

#define TRACED_SUITE                                                                               \
    cmocka_unit_test(a_program_is_traced_from_its_execve_on),                                      \
        cmocka_unit_test(threads_are_traced_with_and_without_following),                           \
        cmocka_unit_test(five_thousand_threads_are_traced),                                        \
        cmocka_unit_test(children_are_traced_only_when_followed),                                  \
        cmocka_unit_test(a_vforked_child_is_followed_into_its_program),                            \
        cmocka_unit_test(a_thread_that_executes_becomes_the_process),                              \
        cmocka_unit_test(a_hundred_programs_one_after_the_other),                                  \
        cmocka_unit_test(ten_megabytes_of_arguments),                                              \
        cmocka_unit_test(signals_arrive_and_calls_restart),                                        \
        cmocka_unit_test(a_signal_that_ends_the_program_ends_it),                                  \
        cmocka_unit_test(a_stopped_program_stays_stopped_until_it_is_continued),                   \
        cmocka_unit_test(a_program_sees_the_cpus_that_it_would_have),                              \
        cmocka_unit_test(what_cannot_be_executed_is_said),                                         \
        cmocka_unit_test(hostile_programs_behave_as_without_it),                                   \
        cmocka_unit_test(a_number_comes_again)
