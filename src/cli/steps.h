/* `rooftop steps`: ranges that come again, one by one. */
#ifndef ROOFTOP_CLI_STEPS_H
#define ROOFTOP_CLI_STEPS_H

struct options;
int steps_run(struct options *o);

#endif
