/*
 * Files and folders that exist only until they are renamed or removed. The one who makes it holds a
 * lock on it, which ends with its process: so what a killed process left is known, and removed by
 * the next one that makes one of the same name.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

enum { TEMPORARY_MORE = 16 }; /* bytes that the path is longer than `beside` */

/*
 * Makes BESIDE.rooftop-XXXXXX, where the Xs are random: a file of mode 0600 that is open for
 * writing. path gets its name; the last part of a very long one is cut. Returns the descriptor,
 * which holds the lock: close it after the file was renamed or removed. Or -errno, with path "".
 */
int temporary_file(const char *beside, char *path, size_t size);
/* A stream that writes to the file; it is closed before the descriptor. NULL: errno. */
FILE *temporary_stream(int fd);
/* The same as temporary_file, for a folder of mode 0700; the descriptor is for the lock only. */
int temporary_folder(const char *beside, char *path, size_t size);
/* Removes a folder with all that is in it. Does not follow links. */
void temporary_remove_folder(const char *path);
