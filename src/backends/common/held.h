/*
 * Starts a command that waits before it executes its program, so that a tracer can take hold of it:
 *
 *     struct held l;
 *     held_start(&l, &command, err);   // a child is there, and waits
 *     ...                                // attach to l.pid
 *     held_go(&l);                     // it executes the program
 *     waitpid(l.pid, ...)
 *     held_failed(&l, err);            // why it could not, if it could not
 *     held_close(&l);
 */
#pragma once

#include <linux/filter.h>
#include <signal.h>
#include <sys/types.h>

#include "base/error.h"

struct held_command {
    char *const *argv, *const *envp; /* envp NULL: rooftop's own */
    const struct sock_fprog *filter; /* installed before execve; NULL: none */
    const sigset_t *mask;            /* signals that it blocks; NULL: those of this thread */
};

struct held {
    pid_t pid;            /* 0: none was started */
    int go_fd, report_fd; /* takes the byte that lets it go on; gives the errno of execve */
    char name[128];       /* name of the command */
};

/* Returns 0, or a negative errno with ERROR_TARGET: not found, not executable. */
int held_start(struct held *l, const struct held_command *command, struct error *err);
int held_go(struct held *l); /* 0 or a negative errno */
/* ERROR_TARGET if the program is known not to have been executed; else 0. */
int held_failed(const struct held *l, struct error *err);
/* The error of a command that cannot be started because of this errno; returns -code. */
int held_error(const struct held *l, int code, struct error *err);
/* Kills the child, whether it still waits or not. */
void held_kill(struct held *l);
void held_close(struct held *l); /* the child goes on; if it still waits, it ends */

/* The path of the file that a command's name means, malloc'ed, or NULL with errno. */
char *held_find_program(const char *name);
