/* Who holds the others up, in sentences, for all who show it. Texts are safe to print. */
#pragma once

#include "engine/job/job.h"

enum { JOB_LINE = 240 };

/* The answer in a sentence. */
void job_say_straggler(const struct job *j, char out[JOB_LINE], bool ascii);
/* Where a rank is named: what that rests on, each number with its limit; what it does longer. */
void job_say_rule(const struct job *j, char out[JOB_LINE]);
void job_say_cause(const struct job *j, char out[JOB_LINE], bool ascii);
