/* Source: linux/stat.h. Nothing else is here, because linux/stat.h conflicts with sys/stat.h. */
#include <linux/stat.h>

#include "engine/syscalls/constants/constants.h"

static const struct constant statx_mask[] = {
    C(STATX_ALL),    C(STATX_BASIC_STATS), C(STATX_TYPE),   C(STATX_MODE),
    C(STATX_NLINK),  C(STATX_UID),         C(STATX_GID),    C(STATX_ATIME),
    C(STATX_MTIME),  C(STATX_CTIME),       C(STATX_INO),    C(STATX_SIZE),
    C(STATX_BLOCKS), C(STATX_BTIME),       C(STATX_MNT_ID), C(STATX_DIOALIGN)};
CONSTANTS(statx_mask, "STATX_???");
static const struct constant stx_attributes[] = {
    C(STATX_ATTR_COMPRESSED), C(STATX_ATTR_IMMUTABLE), C(STATX_ATTR_APPEND),
    C(STATX_ATTR_NODUMP),     C(STATX_ATTR_ENCRYPTED), C(STATX_ATTR_AUTOMOUNT),
    C(STATX_ATTR_MOUNT_ROOT), C(STATX_ATTR_VERITY),    C(STATX_ATTR_DAX)};
CONSTANTS(stx_attributes, "STATX_ATTR_???");
