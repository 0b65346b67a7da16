/* Which system calls a cell may make; every other one ends in SIGSYS. */
#ifndef ROOFTOP_BACKENDS_JUDGE_CELL_FILTER_H
#define ROOFTOP_BACKENDS_JUDGE_CELL_FILTER_H

#include <sys/types.h>

/* From now on: only what loading a shared object takes; own: the process, which may stop itself. 0
 * or -errno. */
int cell_filter_loading(pid_t own);
/* From now on: only words to the parent, and memory. It lets no filter come after it. */
int cell_filter_calling(pid_t own);

#endif
