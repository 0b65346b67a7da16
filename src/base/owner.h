/*
 * Whose word a file is. A file that tells of a process, such as its bricks or the names of its
 * code, may have been made by anybody who can write in that folder. It is believed when whoever
 * could have written it could as well have changed the process itself. docs/SECURITY.md lists where
 * this is asked.
 */
#ifndef ROOFTOP_BASE_OWNER_H
#define ROOFTOP_BASE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define OWNER_NOBODY ((uid_t)-1) /* no user's: only what root says is believed */

/* A process as its id alone does not name it: ids are used again. */
struct owner_process {
    uid_t user; /* OWNER_NOBODY where its effective and saved ids differ: it can change sides */
    uint64_t start_ticks; /* /proc/PID/stat, field 22 */
    pid_t inner;          /* its id in its own namespace */
};

/* false: it has gone, is a zombie, or may not be looked at (hidepid). */
bool owner_of_process(pid_t pid, struct owner_process *out);

/* It is there, though /proc does not show it to us (hidepid). */
bool owner_process_hidden(pid_t pid);

/* The rule itself, for what runs inside other programs too. anybody: the user that stands for all
 * who have no number here; OWNER_NOBODY where all have one. */
static inline const char *owner_rule(const struct stat *state, uid_t user, uid_t anybody)
{
    if (!S_ISREG(state->st_mode) && !S_ISDIR(state->st_mode))
        return "it is not a regular file";
    if (state->st_uid != 0 && (state->st_uid != user || user == OWNER_NOBODY))
        return "it belongs to another user";
    if (state->st_uid != 0 && state->st_uid == anybody)
        return "its owner has no number in this user namespace";
    /* Users whose umask is 002 have a group of their own, with their own number. */
    if ((state->st_mode & S_IWOTH) ||
        ((state->st_mode & S_IWGRP) && state->st_gid != state->st_uid))
        return "others may write in it";
    return NULL;
}

/* NULL where what fstat or lstat told of may speak for this user; else why not, a clause. It must
 * be a folder or a regular file, belong to the user or to root, and nobody else may be able to
 * write in it. */
const char *owner_refuses(const struct stat *state, uid_t user);

/* Where the name of a file is part of what it says: it has no other one, which another user's link
 * would be. */
const char *owner_refuses_named(const struct stat *state, uid_t user);

/* Opens a file for reading that may speak for this user by its name, and tells its state. No link
 * is followed, and nothing is waited for. -1 with *why, a clause. */
int owner_open(const char *path, uid_t user, struct stat *state, const char **why);

#endif
