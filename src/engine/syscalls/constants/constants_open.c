/* Flags of open and fcntl. Source: asm-generic/fcntl.h, linux/fcntl.h; where x86 and arm differ,
 * arm's asm/fcntl.h. */
#include <asm/fcntl.h>
#include <linux/fcntl.h>

#include "engine/syscalls/constants/constants.h"

/* In the order in which strace writes them. The access mode is not among them. */
#define OPEN_FLAGS(direct, large, directory, nofollow)                                             \
    C(O_CREAT), C(O_EXCL), C(O_NOCTTY), C(O_TRUNC), C(O_APPEND), C(O_NONBLOCK), C(O_SYNC),         \
        C(O_DSYNC), {direct, "O_DIRECT"}, {large, "O_LARGEFILE"}, {nofollow, "O_NOFOLLOW"},        \
        C(O_NOATIME), C(O_CLOEXEC), C(O_PATH), {020000000 | (directory), "O_TMPFILE"},             \
    {                                                                                              \
        directory, "O_DIRECTORY"                                                                   \
    }

static const struct constant open_flags_x86[] = {OPEN_FLAGS(040000, 0100000, 0200000, 0400000),
                                                 {020000, "FASYNC"}};
CONSTANTS(open_flags_x86, "O_???");
static const struct constant open_flags_arm[] = {OPEN_FLAGS(0200000, 0400000, 040000, 0100000),
                                                 {020000, "FASYNC"}};
CONSTANTS(open_flags_arm, "O_???");
static const struct constant open_modes[] = {C(O_RDONLY), C(O_WRONLY), C(O_RDWR), C(O_ACCMODE)};
CONSTANTS(open_modes, "O_???");

static const struct constant dup3_flags[] = {C(O_CLOEXEC)};
CONSTANTS(dup3_flags, "O_???");
static const struct constant pipe_flags[] = {
    C(O_NONBLOCK), {040000, "O_DIRECT"}, C(O_CLOEXEC), {0x80, "O_NOTIFICATION_PIPE"}};
CONSTANTS(pipe_flags, "O_???");

static const struct constant fd_flags[] = {C(FD_CLOEXEC)};
CONSTANTS(fd_flags, "FD_???");
static const struct constant fcntl_cmd[] = {C(F_DUPFD),
                                            C(F_GETFD),
                                            C(F_SETFD),
                                            C(F_GETFL),
                                            C(F_SETFL),
                                            C(F_GETLK),
                                            C(F_SETLK),
                                            C(F_SETLKW),
                                            C(F_SETOWN),
                                            C(F_GETOWN),
                                            C(F_SETSIG),
                                            C(F_GETSIG),
                                            C(F_SETOWN_EX),
                                            C(F_GETOWN_EX),
                                            C(F_OFD_GETLK),
                                            C(F_OFD_SETLK),
                                            C(F_OFD_SETLKW),
                                            C(F_SETLEASE),
                                            C(F_GETLEASE),
                                            C(F_NOTIFY),
                                            C(F_CANCELLK),
                                            C(F_DUPFD_CLOEXEC),
                                            C(F_SETPIPE_SZ),
                                            C(F_GETPIPE_SZ),
                                            C(F_ADD_SEALS),
                                            C(F_GET_SEALS),
                                            C(F_GET_RW_HINT),
                                            C(F_SET_RW_HINT),
                                            C(F_GET_FILE_RW_HINT),
                                            C(F_SET_FILE_RW_HINT),
                                            {12, "F_GETLK64"},
                                            {13, "F_SETLK64"},
                                            {14, "F_SETLKW64"}};
CONSTANTS(fcntl_cmd, "F_???");
static const struct constant lock_types[] = {C(F_RDLCK), C(F_WRLCK), C(F_UNLCK)};
CONSTANTS(lock_types, "F_???");
static const struct constant seals[] = {C(F_SEAL_SEAL), C(F_SEAL_SHRINK), C(F_SEAL_GROW),
                                        C(F_SEAL_WRITE), C(F_SEAL_FUTURE_WRITE)};
CONSTANTS(seals, "F_SEAL_???");
static const struct constant notify_events[] = {C(DN_ACCESS),   C(DN_MODIFY), C(DN_CREATE),
                                                C(DN_DELETE),   C(DN_RENAME), C(DN_ATTRIB),
                                                C(DN_MULTISHOT)};
CONSTANTS(notify_events, "DN_???");
static const struct constant flock_op[] = {
    {1, "LOCK_SH"},    {2, "LOCK_EX"},      {8, "LOCK_UN"}, {32, "LOCK_MAND"},
    {64, "LOCK_READ"}, {128, "LOCK_WRITE"}, {4, "LOCK_NB"}};
CONSTANTS(flock_op, "LOCK_???");

static const struct constant at_flags[] = {C(AT_SYMLINK_NOFOLLOW), C(AT_REMOVEDIR),
                                           C(AT_SYMLINK_FOLLOW),   C(AT_NO_AUTOMOUNT),
                                           C(AT_EMPTY_PATH),       C(AT_RECURSIVE)};
CONSTANTS(at_flags, "AT_???");
static const struct constant faccessat_flags[] = {C(AT_SYMLINK_NOFOLLOW),
                                                  {0x200, "AT_EACCESS"},
                                                  C(AT_SYMLINK_FOLLOW),
                                                  C(AT_NO_AUTOMOUNT),
                                                  C(AT_EMPTY_PATH)};
CONSTANTS(faccessat_flags, "AT_???");
static const struct constant statx_flags[] = {C(AT_SYMLINK_NOFOLLOW), C(AT_REMOVEDIR),
                                              C(AT_SYMLINK_FOLLOW),   C(AT_NO_AUTOMOUNT),
                                              C(AT_EMPTY_PATH),       C(AT_RECURSIVE)};
CONSTANTS(statx_flags, "AT_???");
static const struct constant statx_syncs[] = {C(AT_STATX_SYNC_AS_STAT), C(AT_STATX_FORCE_SYNC),
                                              C(AT_STATX_DONT_SYNC), C(AT_STATX_SYNC_TYPE)};
CONSTANTS(statx_syncs, "AT_STATX_???");
static const struct constant mount_setattr_flags[] = {C(AT_SYMLINK_NOFOLLOW), C(AT_NO_AUTOMOUNT),
                                                      C(AT_EMPTY_PATH), C(AT_RECURSIVE)};
CONSTANTS(mount_setattr_flags, "AT_???");
