/* The commands, one file each; main.c's table names them. Each runs the command that the options
 * describe and returns the exit status (cli/options/command.h). */
#ifndef ROOFTOP_CLI_OPTIONS_COMMANDS_H
#define ROOFTOP_CLI_OPTIONS_COMMANDS_H

struct options;

int att_run(struct options *o);     /* thread traces of GPU kernels, instruction by instruction */
int bricks_run(struct options *o);  /* bricks and kernels with statistics, shares, budgets */
int capture_run(struct options *o); /* one dispatch of a command's kernel, with its memory */
int code_run(struct options *o);    /* the code that instrumented programs keep of kernels */
int code_object_run(struct options *o); /* what a code object of AMD's GPUs holds */
int compare_run(struct options *o);     /* runs before and after, side by side */
int dashboard_run(struct options *o);   /* the screen */
int doctor_run(struct options *o);      /* what this machine offers, what is missing, and why */
int export_run(struct options *o);      /* profiles as documents for other programs */
int headless_run(struct options *o);    /* snapshots as text, JSON or CSV */
int kernels_run(struct options *o);     /* the table of a profile's kernels */
int path_run(struct options *o);        /* the critical path and the slack beside it */
int profile_run(struct options *o);     /* a command under the profiler of its GPU */
int record_run(struct options *o);      /* snapshots into a session file */
int replay_run(struct options *o);      /* a captured dispatch again */
int report_run(struct options *o);      /* the summary of a profile */
int reproduce_run(struct options *o);   /* a captured dispatch as a folder that stands alone */
int roofline_run(struct options *o);    /* kernels and bricks under their roofs */
int steps_run(struct options *o);       /* ranges that come again, one by one */
int timeline_run(struct options *o);    /* lanes over time */
int tree_run(struct options *o);        /* the execution tree */
int usdt_run(struct options *o);        /* the probes of a program and its libraries */

#endif
