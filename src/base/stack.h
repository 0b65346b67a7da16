/* A stack that is large enough, whatever `ulimit -s` says. */
#pragma once

/* Calls run(argc, argv) and returns its result, which must not be negative. Returns -1 without the
 * call if there is no memory for a stack. If the limit is lower than rooftop needs, the call and
 * all later threads get larger stacks. The limit itself stays, for programs that rooftop starts.
 * Call it once, from main. */
int stack_run(int (*run)(int argc, char **argv), int argc, char **argv);
