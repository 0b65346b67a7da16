/* Processes of other users, for tests that run as root. */
#pragma once

#include <sys/types.h>

/* Starts a process as that user, which waits until it is killed. */
pid_t other_user_run(uid_t user);
void other_user_end(pid_t pid);
