/*
 * Texts that are made from the tables of options, commands, keys, exit statuses and metrics; one
 * function for each form.
 */
#pragma once

#include <stdio.h>

#include "cli/options/options.h"

void generate_brief(FILE *out); /* what -h prints: 24 lines of at most 80 columns */
void generate_man(FILE *out);   /* roff, man(7) macros */
/* The page about one noun and what is below it: rooftop-report(1). */
struct command;
void generate_man_noun(FILE *out, const struct command *noun);
void generate_bash(FILE *out);
void generate_zsh(FILE *out);
void generate_fish(FILE *out);

/* "-p, --pid PID[,PID...]"; bare: "--pid PID[,PID...]" without the letter's column. */
const char *generate_usage(const struct option_def *d, char *out, size_t size);
/* How the shell completes the argument: 'f' files, 'd' directories, 'p' processes, 'c' the
 * choices, 't' themes and files, 0 not at all. */
char generate_completion_kind(const struct option_def *d);
/* The choices, separated by sep; "" if there are none. Returns out. */
const char *generate_choices(const struct option_def *d, const char *sep, char *out, size_t size);
/* What completes the argument, with blanks between: the choices, or the themes. Returns out. */
const char *generate_words(const struct option_def *d, char *out, size_t size);

/* JSON Schema of the configuration file. */
void generate_config_schema(FILE *out);
/* The current configuration as TOML; reading it back gives the same. Defaults are commented out. */
void generate_config(FILE *out, const struct options *o);
