/* Finds out whether /proc hides other users' processes from us. */
#ifndef ROOFTOP_BACKENDS_PROCESSES_HIDDEN_H
#define ROOFTOP_BACKENDS_PROCESSES_HIDDEN_H

/*
 * The hidepid= option of the mount of /proc; "" if we see all processes: as root, or as a member of
 * its gid=. Returns out.
 */
const char *hidden_by(char out[32]);

#endif
