/* What a program that is to be executed is: whether the recorder can go into it. */
#ifndef ROOFTOP_BACKENDS_RECORDER_IMAGE_H
#define ROOFTOP_BACKENDS_RECORDER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum image_kind {
    IMAGE_TAKES,   /* a 64-bit program with glibc's dynamic linker */
    IMAGE_FOREIGN, /* static, for another architecture, of another C library: traced with ptrace */
    IMAGE_RAISES   /* tracing it would take away the rights that it gives: not traced */
};
/* The file that the task means by this path, dirfd and flags of execveat. A file that is not there
 * is foreign: execve will say so. */
enum image_kind image_look(pid_t tid, int dirfd, const char *path, int flags);

#endif
