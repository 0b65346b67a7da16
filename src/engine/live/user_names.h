/* Whether the names in a formula of the user's file exist. Events of the built-in sets are not
 * known here, because they differ by CPU: any name in one of these sets is accepted. */
#pragma once

#include <stdbool.h>

#include "engine/live/user_tables.h"

struct user_names {
    const struct user_tables *tables;
    const struct metric_def *metric; /* whose formula is read */
    bool asked;     /* -e adds events to the set "user": any name is accepted there */
    char help[160]; /* what the writer may have meant, for the last refusal */
};

/* For formula_compile, with a struct user_names as ctx: 0, or -1 with the reason in why. */
int user_names_know(void *ctx, const char *name, char why[192]);
/* The first word of a metric's `cpus` that is no architecture of the built-in metrics: its length
 * and *word, or 0. help gets the nearest one. */
int user_names_wrong_cpu(const char *cpus, const char **word, char *help, int size);
