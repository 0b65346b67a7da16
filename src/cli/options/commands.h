/* The commands; each is described in the file with its code. src/cli/commands.c lists them. */
#pragma once

struct command;
struct options;

extern const struct command command_watch, command_record, command_compare, command_bench,
    command_history, command_history_compare, command_tree, command_path, command_roofline,
    command_timeline, command_bricks, command_kernels, command_report, command_steps, command_att,
    command_code, command_code_object, command_profile, command_trace, command_assert,
    command_golden, command_golden_capture, command_golden_check, command_golden_diff,
    command_golden_accept, command_golden_compare, command_replay, command_replay_check,
    command_replay_full, command_replay_compare, command_replay_edit, command_reproduce,
    command_capture, command_export, command_otlp, command_judge, command_optimize, command_lab,
    command_lab_validate, command_lab_roofs, command_lab_ports, command_events, command_usdt,
    command_doctor, command_help, command_version;

/* Functions that also end other commands. Each returns the exit status. */
int dashboard_run(struct options *o); /* the screen */
int headless_run(struct options *o);  /* snapshots as text, JSON or CSV */
int tree_run(struct options *o);      /* prints the execution tree */
int path_run(struct options *o);      /* prints the critical path and slack */
/* prints bricks and kernels with statistics, shares and budgets */
int bricks_run(struct options *o);
int export_run(struct options *o); /* converts profiles for other programs */
