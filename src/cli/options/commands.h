/* The commands; each is described in the file with its code. */
#pragma once

struct command;
struct options;

#define COMMAND(id) extern const struct command command_##id;
#include "capabilities.def"

/* Functions that also end other commands. Each returns the exit status. */
int dashboard_run(struct options *o); /* the screen */
int headless_run(struct options *o);  /* snapshots as text, JSON or CSV */
int tree_run(struct options *o);      /* prints the execution tree */
int path_run(struct options *o);      /* prints the critical path and slack */
/* prints bricks and kernels with statistics, shares and budgets */
int bricks_run(struct options *o);
int export_run(struct options *o); /* converts profiles for other programs */
