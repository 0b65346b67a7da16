/* The one way to write a number with its unit: "1.76 ms", "8.29 KiB", "12.3 %". */
#pragma once

#include <stddef.h>

/*
 * NULL: all numbers of a text for people are written as the law says; else the words that break it,
 * with the rule, in `out`. The law: a blank between number and unit; three or four digits, so no
 * "1760.3 us"; "us", not "µs"; bytes in KiB and MiB, rates of them in kB/s and MB/s.
 */
const char *units_law_broken(const char *text, char *out, size_t size);
