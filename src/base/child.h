/* Runs a program and reads its output, with limits in time and size. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Searches PATH for a program and writes its path to out. Returns out, or NULL if it is not
 * installed. */
const char *child_find(const char *name, char *out, size_t size);

/* Searches as execvp does: a name with '/' is a path, and PATH may have relative entries. Returns
 * 0, ENOENT, or EACCES if the file exists but may not be executed. */
int child_look_up(const char *name, char *out, size_t size);
/* Writes a word quoted for any /bin/sh, so without $'...', which some do not know. */
void child_put_quoted(FILE *f, const char *word);

/*
 * Starts argv (argv[0] is a path) with these environment variables, in a process group of its own,
 * with default signals and without input. out and err become its standard output and error. It is
 * killed when the calling thread ends, so also when rooftop is killed. 0 with *pid, or -errno.
 */
int child_start(char *const argv[], char *const variables[], int out, int err, pid_t *pid);

/* Runs argv (argv[0] is a path) without input, with its error messages dropped, in the C locale,
 * and without fetching debug files from a network. *text receives its output, NUL-terminated; the
 * caller frees it. The program is killed when it writes more than max bytes or takes longer than
 * timeout_ns, or the thread's watch gives up. Returns its exit status or -errno (-ETIMEDOUT;
 * -ECANCELED; -EFBIG with the first part in *text). */
int child_run(char *const argv[], uint64_t timeout_ns, size_t max, char **text);

/* Makes a file in memory from bytes; programs can open it by the name in path. Returns a descriptor
 * that the caller closes, or -1 with errno. */
int child_file(const void *bytes, size_t size, char path[64]);
