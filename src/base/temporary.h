/*
 * Files and folders that exist only until they are renamed or removed. Their maker holds a lock on
 * them, which ends with its process. So a later process knows what a killed one left, and removes
 * it when it makes a file of the same name.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

enum { TEMPORARY_MORE = 16 }; /* bytes that the path is longer than `beside` */

/* Makes BESIDE.rooftop-XXXXXX, where the Xs are random: a file of mode 0600 that is open for
 * writing. path receives its name; the last part of a very long one is cut. Returns the descriptor,
 * which holds the lock: close it after the file is renamed or removed. Returns -errno with path ""
 * on failure. */
int temporary_file(const char *beside, char *path, size_t size);
/* Returns a stream that writes to the file, to be closed before fd, or NULL with errno. */
FILE *temporary_stream(int fd);
/* The same as temporary_file, for a folder of mode 0700; the descriptor is for the lock only. */
int temporary_folder(const char *beside, char *path, size_t size);
/* Removes a folder with all that is in it. Does not follow links. */
void temporary_remove_folder(const char *path);
