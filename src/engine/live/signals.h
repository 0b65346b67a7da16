/* Signals by name, with what they do when a program says nothing else (signal(7)). */
#pragma once

#include <stddef.h>

struct signal_info {
    int number;
    const char *name; /* "TERM" */
    const char *what; /* one line */
};
extern const struct signal_info signal_table[]; /* the usual first; ends with name NULL */

enum { SIGNAL_NAME_MAX = 16 };
/* The name of a signal: "SIGTERM", "SIGRTMIN+3", "signal 77". Returns out. */
const char *signal_name(int number, char out[SIGNAL_NAME_MAX]);
/* The number of "TERM", "SIGTERM", "term", "15", "RTMIN+3"; 0 if there is none. */
int signal_number(const char *name);
