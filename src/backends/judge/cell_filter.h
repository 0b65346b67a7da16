/* Which system calls a cell may make; every other one ends in SIGSYS. */
#ifndef ROOFTOP_BACKENDS_JUDGE_CELL_FILTER_H
#define ROOFTOP_BACKENDS_JUDGE_CELL_FILTER_H

/* From now on: only what loading a shared object takes. 0 or -errno. */
int cell_filter_loading(void);
/* From now on: only words to the parent, and memory. It lets no filter come after it. */
int cell_filter_calling(void);

#endif
