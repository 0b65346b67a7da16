/* Whether a file can be written in a folder, and whether its disk has room for it. */
#pragma once

#include <stddef.h>

/*
 * Writes a file without a name of this many bytes in the folder. Returns ENOSPC, EDQUOT, EFBIG or
 * EROFS where there is no room for it, else 0: other errors are not about room.
 */
int disk_space_missing(const char *folder, size_t bytes);

enum { DISK_SPACE_WHY = 160 };
/* The same for a folder that must be there and be writable: writes why nothing of that size can be
 * written into it. NULL: it can. Returns out. */
const char *disk_space_refuses(const char *folder, size_t bytes, char out[DISK_SPACE_WHY]);
