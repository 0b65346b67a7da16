/* Finds out whether /proc hides other users' processes from us. */
#pragma once

/* The hidepid= option of the mount of /proc; "" if we see all processes: as root, or as a member of
 * its gid=. Returns out. */
const char *hidden_by(char out[32]);
