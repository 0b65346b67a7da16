/*
 * Files of /proc and /sys that are read repeatedly: opened once, then one pread for each reading.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct kept_file {
    int state; /* descriptor + 1; 0: not opened yet; -errno: could not be opened, not tried again */
};

/* Reads up to size bytes from the start of the file. Returns the bytes read, or -errno. */
ssize_t kept_read(struct kept_file *f, const char *abs_path, char *buf, size_t size);
void kept_close(struct kept_file *f);

/* Reads up to size-1 bytes of a file (through env_path) and terminates them. Returns the bytes
 * read, or -errno with out empty. */
ssize_t file_read(const char *abs_path, char *out, size_t size);
/* Reads the first line. Returns its length or -errno. */
int file_line(const char *abs_path, char *out, size_t size);
long file_number(const char *abs_path, long fallback);
/* A number of /proc/TID/status, such as "TracerPid"; -1 if it cannot be read. */
long status_number(pid_t tid, const char *name);
bool file_exists(const char *abs_path);
/* Whether /proc is mounted. If not, a missing file there says nothing about the kernel. */
bool file_proc_mounted(void);
/* Whether /proc and /sys are a recorded tree, so that direct answers of the CPU or the kernel do
 * not belong to it. */
bool file_recorded(void);
