/* Whether /proc hides other users' processes from us. */
#ifndef ROOFTOP_BACKENDS_PROCESSES_HIDDEN_H
#define ROOFTOP_BACKENDS_PROCESSES_HIDDEN_H

/* The hidepid= of the mount of /proc; "" where all are shown to us: to root, and to members of its
 * gid=. Returns out. */
const char *hidden_by(char out[32]);

#endif
