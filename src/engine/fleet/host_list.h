/* Names of hosts as users write them: "a,b", "user@c", Slurm's ranges "node[01-16,20]", files. */
#pragma once

#include <stddef.h>

#include "base/error.h"

struct host_list {
    char **names; /* owned */
    size_t n, cap;
    size_t tried; /* names that were written, those that were there already, too */
};

/*
 * Adds the hosts of a list with commas or ends of lines; each name once. "node[01-03,7]x[1-2]" is
 * all names that it stands for, digits kept. -errno with err: brackets that do not fit, a name that
 * ssh would take for an option, characters that no name of a host has, or more than FLEET_HOSTS_MAX
 * hosts.
 */
int host_list_add(struct host_list *l, const char *text, struct error *err);
/* Adds those of a file: the first word of each line, as host_list_add takes it; # begins a comment.
 */
int host_list_read(struct host_list *l, const char *path, struct error *err);
void host_list_free(struct host_list *l);
