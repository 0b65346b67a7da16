/* Whether a file system has room for what is to be written. */
#ifndef ROOFTOP_BASE_ROOM_H
#define ROOFTOP_BASE_ROOM_H

#include <stddef.h>

/*
 * Writes a file without a name of this many bytes in the folder. Returns ENOSPC, EDQUOT, EFBIG or
 * EROFS where there is no room for it, else 0: other errors are not about room.
 */
int room_missing(const char *folder, size_t bytes);

#endif
