/* Who holds the others up, in sentences, for all who show it. Texts are safe to print. */
#pragma once

#include "engine/job/job.h"

enum { JOB_LINE = 240 };

/* The answer in a sentence. */
void job_say_straggler(const struct job *j, char out[JOB_LINE], bool ascii);
/* Where a rank is named: what that rests on, each number with its limit; what it does longer. */
void job_say_rule(const struct job *j, char out[JOB_LINE]);
void job_say_cause(const struct job *j, char out[JOB_LINE], bool ascii);
/* The answer, and where a rank is named the other two. Returns the number of lines. */
enum { JOB_VERDICT_LINES = 3 };
int job_say_verdict(const struct job *j, char lines[JOB_VERDICT_LINES][JOB_LINE], bool ascii);
