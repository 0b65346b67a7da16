/* More programs that are hard to trace. A test's program runs itself again with a case's name. */
#pragma once

/* Runs the case named by argv[1] and returns its exit status; -1: it is no case. */
int traced_hostile(int argc, char **argv);
