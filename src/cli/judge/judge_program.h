/* Judges a program that a command checks, as options say, for rooftop optimize judge and rooftop
 * optimize. */
#pragma once

#include "engine/judge/judge.h"

/* run: the command, in which {} stands for a file. 0, or ERROR_USAGE: there is no {}. */
int judge_program_check(const char *run, struct error *err);
/*
 * Judges plan->candidate against plan->baseline, which are files here. folder: where a program that
 * does nothing is written, which the check must refuse. Otherwise as judge_programs.
 */
int judge_program_run(const char *run, const char *folder, const struct judge_plan *plan,
                      struct judge_result *result, struct error *err);
