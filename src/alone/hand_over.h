#pragma once

#include <limits.h>
#include <stdbool.h>

/* Whether the C library in that file is glibc and defines the version, such as "GLIBC_2.29". */
bool hand_over_has_version(const char *libc, const char *version);
/*
 * Finds the program to hand over to, from the path of this one: ../glibc/bin/rooftop. loader: the
 * dynamic loader that such programs name; glibc lies in the same folder as the file of the loader.
 * False where there is no such program, or this system cannot run it.
 */
bool hand_over_find(const char *self, const char *loader, char out[PATH_MAX]);
/*
 * Becomes the program found, with the same arguments. Returns where there is none, and where this
 * file has rights of its own (setcap), which the other would not have.
 */
void hand_over(char **argv);
