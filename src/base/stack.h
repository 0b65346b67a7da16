/* A stack that is large enough, whatever `ulimit -s` says. */
#pragma once

/*
 * Calls run(argc, argv) and returns what it returns, which must not be negative; -1: it was not
 * called, as there is no memory for a stack. Where the limit leaves the process less than
 * rooftop needs, the call gets a stack of its own, and so do threads that are started later. The
 * limit itself stays, for programs that are started. Call it once, from main.
 */
int stack_run(int (*run)(int argc, char **argv), int argc, char **argv);
