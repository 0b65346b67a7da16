/*
 * Whom a file comes from. A file that describes a process, such as its bricks or the names of its
 * code, can be made by anyone who can write in that folder. It is used only if everyone who could
 * have written it could also have changed the process itself. docs/SECURITY.md lists where this is
 * checked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define OWNER_NOBODY ((uid_t)-1) /* no user: only root's files are used */

/* Identifies a process; its id alone does not, because ids are reused. */
struct owner_process {
    /* OWNER_NOBODY if its effective and saved ids differ: it can change user */
    uid_t user;
    uint64_t start_ticks; /* /proc/PID/stat, field 22 */
    pid_t inner;          /* its pid in its own namespace */
};

/* Returns false if the process has ended, is a zombie, or is hidden from us (hidepid). */
bool owner_of_process(pid_t pid, struct owner_process *out);

/* Returns whether the process exists although /proc hides it from us (hidepid). */
bool owner_process_hidden(pid_t pid);

/* The rule for files. It is inline because the library inside other programs uses it too. anybody
 * is the uid of all users without a number here, or OWNER_NOBODY if every user has one. */
static inline const char *owner_rule(const struct stat *state, uid_t user, uid_t anybody)
{
    if (!S_ISREG(state->st_mode) && !S_ISDIR(state->st_mode))
        return "it is not a regular file";
    if (state->st_uid != 0 && (state->st_uid != user || user == OWNER_NOBODY))
        return "it belongs to another user";
    if (state->st_uid != 0 && state->st_uid == anybody)
        return "its owner has no number in this user namespace";
    /* Users whose umask is 002 have a group of their own, with the same number. */
    if ((state->st_mode & S_IWOTH) ||
        ((state->st_mode & S_IWGRP) && state->st_gid != state->st_uid))
        return "others may write in it";
    return NULL;
}

/* Checks whether a file with this state (from fstat or lstat) may describe the user's processes. It
 * must be a folder or a regular file, belong to the user or to root, and be writable for nobody
 * else. Returns NULL if so, else the reason, a clause. */
const char *owner_refuses(const struct stat *state, uid_t user);

/* The same for a file whose name has a meaning. It must have no other name (hard link), because
 * another user could have given it this one. */
const char *owner_refuses_named(const struct stat *state, uid_t user);

/* Opens a file for reading if owner_refuses_named allows it, and fills *state. Follows no link and
 * never blocks. Returns a descriptor that the caller closes, or -1 with the reason in *why, a
 * clause. */
int owner_open(const char *path, uid_t user, struct stat *state, const char **why);
