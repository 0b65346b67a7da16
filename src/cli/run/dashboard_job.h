/* The folder of a job of which ranks still run: it is read again and again while it is shown. */
#pragma once

#include "cli/run/run_impl.h"

struct dashboard_job;

/* NULL: what the screen shows is no such job. */
struct dashboard_job *dashboard_job_new(const struct screen *s);
/* Readable when dashboard_job_poll has something to do. */
int dashboard_job_fd(const struct dashboard_job *j);
/* Begins a reading when it is time, and shows one that has ended. True: the screen shows what is
 * new. j: may be NULL. */
bool dashboard_job_poll(struct dashboard_job *j, struct screen *s);
void dashboard_job_free(struct dashboard_job *j);
