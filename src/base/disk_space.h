/* Whether a file can be written in a folder, and whether its disk has room for it. */
#pragma once

#include <stddef.h>

/* Tries to write an unnamed file of this many bytes in the folder. Returns ENOSPC, EDQUOT, EFBIG or
 * EROFS if there is no room for it. Returns 0 for all other errors, too. */
int disk_space_missing(const char *folder, size_t bytes);

enum { DISK_SPACE_WHY = 160 };
/* Checks that the folder exists, is writable and has room for this many bytes. Returns NULL if so,
 * else out with the reason. */
const char *disk_space_refuses(const char *folder, size_t bytes, char out[DISK_SPACE_WHY]);
