/*
 * Finds a path under which we can open a file that a process has mapped: its own path may be that
 * of a container, may lead to another file by now, or to none.
 */
#ifndef ROOFTOP_BACKENDS_UNWIND_LOCATE_H
#define ROOFTOP_BACKENDS_UNWIND_LOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "backends/unwind/maps.h"

/*
 * Writes the path to out. Tries the path itself, the same below the process's root, and the
 * kernel's link to the mapped file (for deleted files; needs CAP_SYS_ADMIN). False where none leads
 * to the file that was mapped.
 */
bool locate_file(const struct map_file *f, pid_t pid, const struct process_map *map, char *out,
                 size_t size);
/* The last part of the path, for people. */
const char *locate_short_name(const struct map_file *f);

#endif
