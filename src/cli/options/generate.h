/*
 * What is made from the tables (options, commands, keys, exit codes, metrics): one function a form.
 */
#ifndef ROOFTOP_CLI_OPTIONS_GENERATE_H
#define ROOFTOP_CLI_OPTIONS_GENERATE_H

#include <stdio.h>

#include "cli/options/options.h"

void generate_man(FILE *out); /* roff, man(7) macros */
void generate_bash(FILE *out);
void generate_zsh(FILE *out);
void generate_fish(FILE *out);

/* "-p, --pid PID[,PID...]"; bare: "--pid PID[,PID...]" without the letter's column. */
const char *generate_usage(const struct option_def *d, char *out, size_t size);
/* What completes the argument: 'f' a file, 'd' a directory, 'p' a process, 'c' choices, 0 nothing.
 */
char generate_completion_kind(const struct option_def *d);
/* Choices separated by sep, "" where there are none. */
const char *generate_choices(const struct option_def *d, const char *sep, char *out, size_t size);

/* JSON Schema of the configuration file. */
void generate_config_schema(FILE *out);
/* The configuration in force, as TOML that reads back to the same; defaults are commented out. */
void generate_config(FILE *out, const struct options *o);

#endif
