/* The last collectives of a rank, as `rooftop job` keeps them in the rank's folder while the rank
 * runs and after (format/collectives.h). */
#pragma once

#include "base/error.h"
#include "format/collectives.h"

struct collectives_file {
    struct collectives_header header;
    struct collectives_group *groups; /* that are still there, by their serial */
    uint32_t ngroups;
    struct collectives_call *calls; /* in the order in which they were called */
    uint32_t ncalls;
};

/*
 * Reads the file of a rank's folder, whose descriptor is given: at most `most` calls and `most`
 * communicators, the last ones. What contradicts itself is left out. A link, a pipe and the file of
 * another user than `owner` are refused. 0 or -errno with err; -ENOENT: there is none. Call
 * collectives_file_free in either case.
 */
int collectives_file_read(struct collectives_file *out, int folder, uint32_t owner, uint32_t most,
                          const char *path, struct error *err);
/* The same of an open file. */
int collectives_file_take(struct collectives_file *out, int fd, uint32_t most, const char *path,
                          struct error *err);
void collectives_file_free(struct collectives_file *f);
