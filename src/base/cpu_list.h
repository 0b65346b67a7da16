/* Numbers of CPUs as Linux writes them: "0-3,8". */
#pragma once

#include <stdbool.h>

enum { CPU_LIST_MOST = 4096 }; /* CPUs with greater numbers are not known */

/* Reads a list, with or without an end of line behind it, into set: CPU_LIST_MOST flags, cleared
 * first. Returns how many CPUs, 0 for an empty list, or -EINVAL for anything else. */
int cpu_list_parse(const char *list, bool *set);
