/* A program that a command checks, from options to a judgement: for rooftop judge and rooftop
 * optimize. */
#pragma once

#include "engine/judge/judge.h"

/* run: the command, in which {} stands for a file. 0, or ERROR_USAGE: there is no {}. */
int judge_program_check(const char *run, struct error *err);
/*
 * Judges plan->baseline against plan->candidate, which are files here. folder: gets a program that
 * does nothing, which the check must refuse. Otherwise as judge_programs.
 */
int judge_program_run(const char *run, const char *folder, const struct judge_plan *plan,
                      struct judge_result *result, struct error *err);
