/* Flags of calls on files. Source: the kernel's UAPI headers, named above each table or included.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include <linux/close_range.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/memfd.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/random.h>
#include <linux/xattr.h>

#include "engine/syscalls/constants/constants.h"

static const struct constant file_types[] = {C(S_IFREG), C(S_IFDIR), C(S_IFCHR), C(S_IFBLK),
                                             C(S_IFIFO), C(S_IFLNK), C(S_IFSOCK)};
CONSTANTS(file_types, "S_IF???");
static const struct constant whence[] = {C(SEEK_SET), C(SEEK_CUR), C(SEEK_END), C(SEEK_DATA),
                                         C(SEEK_HOLE)};
CONSTANTS(whence, "SEEK_???");
/* linux/fadvise.h; s390 alone has other numbers. */
static const struct constant fadvise[] = {{0, "POSIX_FADV_NORMAL"},     {1, "POSIX_FADV_RANDOM"},
                                          {2, "POSIX_FADV_SEQUENTIAL"}, {3, "POSIX_FADV_WILLNEED"},
                                          {4, "POSIX_FADV_DONTNEED"},   {5, "POSIX_FADV_NOREUSE"}};
CONSTANTS(fadvise, "POSIX_FADV_???");
static const struct constant fallocate_mode[] = {
    C(FALLOC_FL_KEEP_SIZE),      C(FALLOC_FL_PUNCH_HOLE), C(FALLOC_FL_NO_HIDE_STALE),
    C(FALLOC_FL_COLLAPSE_RANGE), C(FALLOC_FL_ZERO_RANGE), C(FALLOC_FL_INSERT_RANGE),
    C(FALLOC_FL_UNSHARE_RANGE)};
CONSTANTS(fallocate_mode, "FALLOC_FL_???");
static const struct constant close_range_flags[] = {C(CLOSE_RANGE_UNSHARE), C(CLOSE_RANGE_CLOEXEC)};
CONSTANTS(close_range_flags, "CLOSE_RANGE_???");
static const struct constant rename_flags[] = {C(RENAME_NOREPLACE), C(RENAME_EXCHANGE),
                                               C(RENAME_WHITEOUT)};
CONSTANTS(rename_flags, "RENAME_??");
static const struct constant rwf_flags[] = {C(RWF_HIPRI), C(RWF_DSYNC), C(RWF_SYNC), C(RWF_NOWAIT),
                                            C(RWF_APPEND)};
CONSTANTS(rwf_flags, "RWF_???");
static const struct constant sync_file_range_flags[] = {
    C(SYNC_FILE_RANGE_WAIT_BEFORE), C(SYNC_FILE_RANGE_WRITE), C(SYNC_FILE_RANGE_WAIT_AFTER)};
CONSTANTS(sync_file_range_flags, "SYNC_FILE_RANGE_???");
static const struct constant xattr_flags[] = {C(XATTR_CREATE), C(XATTR_REPLACE)};
CONSTANTS(xattr_flags, "XATTR_???");
static const struct constant memfd_flags[] = {
    C(MFD_CLOEXEC), C(MFD_ALLOW_SEALING), C(MFD_HUGETLB), {8, "MFD_NOEXEC_SEAL"}, {16, "MFD_EXEC"}};
CONSTANTS(memfd_flags, "MFD_???");
static const struct constant memfd_secret_flags[] = {{02000000, "O_CLOEXEC"}};
CONSTANTS(memfd_secret_flags, "FD_CLOEXEC???");
static const struct constant getrandom_flags[] = {C(GRND_NONBLOCK), C(GRND_RANDOM),
                                                  C(GRND_INSECURE)};
CONSTANTS(getrandom_flags, "GRND_???");
static const struct constant resolve_flags[] = {C(RESOLVE_NO_XDEV),     C(RESOLVE_NO_MAGICLINKS),
                                                C(RESOLVE_NO_SYMLINKS), C(RESOLVE_BENEATH),
                                                C(RESOLVE_IN_ROOT),     C(RESOLVE_CACHED)};
CONSTANTS(resolve_flags, "RESOLVE_???");
/* linux/splice.h of the kernel, which is no UAPI header; bits/fcntl-linux.h has them too. */
static const struct constant splice_flags[] = {
    {1, "SPLICE_F_MOVE"}, {2, "SPLICE_F_NONBLOCK"}, {4, "SPLICE_F_MORE"}, {8, "SPLICE_F_GIFT"}};
CONSTANTS(splice_flags, "SPLICE_F_???");

static const struct constant mount_flags[] = {
    C(MS_RDONLY),     C(MS_NOSUID),     C(MS_NODEV),     C(MS_NOEXEC),      C(MS_SYNCHRONOUS),
    C(MS_REMOUNT),    C(MS_MANDLOCK),   C(MS_DIRSYNC),   C(MS_NOSYMFOLLOW), C(MS_NOATIME),
    C(MS_NODIRATIME), C(MS_BIND),       C(MS_MOVE),      C(MS_REC),         C(MS_SILENT),
    C(MS_POSIXACL),   C(MS_UNBINDABLE), C(MS_PRIVATE),   C(MS_SLAVE),       C(MS_SHARED),
    C(MS_RELATIME),   C(MS_KERNMOUNT),  C(MS_I_VERSION), C(MS_STRICTATIME), C(MS_LAZYTIME)};
CONSTANTS(mount_flags, "MS_???");
/* include/linux/fs.h of the kernel; sys/mount.h has them too. */
static const struct constant umount_flags[] = {
    {1, "MNT_FORCE"}, {2, "MNT_DETACH"}, {4, "MNT_EXPIRE"}, {8, "UMOUNT_NOFOLLOW"}};
CONSTANTS(umount_flags, "MNT_???");
static const struct constant open_tree_flags[] = {
    C(OPEN_TREE_CLONE),         C(OPEN_TREE_CLOEXEC),      {0x100, "AT_SYMLINK_NOFOLLOW"},
    {0x800, "AT_NO_AUTOMOUNT"}, {0x1000, "AT_EMPTY_PATH"}, {0x8000, "AT_RECURSIVE"}};
CONSTANTS(open_tree_flags, "OPEN_TREE_???");
static const struct constant move_mount_flags[] = {
    C(MOVE_MOUNT_F_SYMLINKS), C(MOVE_MOUNT_F_AUTOMOUNTS), C(MOVE_MOUNT_F_EMPTY_PATH),
    C(MOVE_MOUNT_T_SYMLINKS), C(MOVE_MOUNT_T_AUTOMOUNTS), C(MOVE_MOUNT_T_EMPTY_PATH),
    C(MOVE_MOUNT_SET_GROUP)};
CONSTANTS(move_mount_flags, "MOVE_MOUNT_???");
static const struct constant fsopen_flags[] = {C(FSOPEN_CLOEXEC)};
CONSTANTS(fsopen_flags, "FSOPEN_???");
static const struct constant fsmount_flags[] = {C(FSMOUNT_CLOEXEC)};
CONSTANTS(fsmount_flags, "FSMOUNT_???");
static const struct constant fspick_flags[] = {C(FSPICK_CLOEXEC), C(FSPICK_SYMLINK_NOFOLLOW),
                                               C(FSPICK_NO_AUTOMOUNT), C(FSPICK_EMPTY_PATH)};
CONSTANTS(fspick_flags, "FSPICK_???");
static const struct constant mount_attr_flags[] = {
    C(MOUNT_ATTR_RDONLY),     C(MOUNT_ATTR_NOSUID),  C(MOUNT_ATTR_NODEV),
    C(MOUNT_ATTR_NOEXEC),     C(MOUNT_ATTR_NOATIME), C(MOUNT_ATTR_STRICTATIME),
    C(MOUNT_ATTR_NODIRATIME), C(MOUNT_ATTR_IDMAP),   C(MOUNT_ATTR_NOSYMFOLLOW)};
CONSTANTS(mount_attr_flags, "MOUNT_ATTR_???");
static const struct constant fsconfig_cmd[] = {
    C(FSCONFIG_SET_FLAG),   C(FSCONFIG_SET_STRING),     C(FSCONFIG_SET_BINARY),
    C(FSCONFIG_SET_PATH),   C(FSCONFIG_SET_PATH_EMPTY), C(FSCONFIG_SET_FD),
    C(FSCONFIG_CMD_CREATE), C(FSCONFIG_CMD_RECONFIGURE)};
CONSTANTS(fsconfig_cmd, "FSCONFIG_???");

static const struct constant statfs_types[] = {C(ADFS_SUPER_MAGIC),
                                               C(AFFS_SUPER_MAGIC),
                                               C(AFS_SUPER_MAGIC),
                                               C(AUTOFS_SUPER_MAGIC),
                                               C(CEPH_SUPER_MAGIC),
                                               C(CODA_SUPER_MAGIC),
                                               C(CRAMFS_MAGIC),
                                               C(DEBUGFS_MAGIC),
                                               C(SECURITYFS_MAGIC),
                                               C(SELINUX_MAGIC),
                                               C(SMACK_MAGIC),
                                               C(RAMFS_MAGIC),
                                               C(TMPFS_MAGIC),
                                               C(HUGETLBFS_MAGIC),
                                               C(SQUASHFS_MAGIC),
                                               C(ECRYPTFS_SUPER_MAGIC),
                                               C(EFS_SUPER_MAGIC),
                                               C(EROFS_SUPER_MAGIC_V1),
                                               {0xef53, "EXT2_SUPER_MAGIC"},
                                               C(XENFS_SUPER_MAGIC),
                                               C(BTRFS_SUPER_MAGIC),
                                               C(NILFS_SUPER_MAGIC),
                                               C(F2FS_SUPER_MAGIC),
                                               C(HPFS_SUPER_MAGIC),
                                               C(ISOFS_SUPER_MAGIC),
                                               C(JFFS2_SUPER_MAGIC),
                                               C(XFS_SUPER_MAGIC),
                                               C(PSTOREFS_MAGIC),
                                               C(EFIVARFS_MAGIC),
                                               C(HOSTFS_SUPER_MAGIC),
                                               C(OVERLAYFS_SUPER_MAGIC),
                                               C(FUSE_SUPER_MAGIC),
                                               C(MSDOS_SUPER_MAGIC),
                                               C(EXFAT_SUPER_MAGIC),
                                               C(NFS_SUPER_MAGIC),
                                               C(PROC_SUPER_MAGIC),
                                               C(SYSFS_MAGIC),
                                               C(CGROUP_SUPER_MAGIC),
                                               C(CGROUP2_SUPER_MAGIC),
                                               C(DEVPTS_SUPER_MAGIC),
                                               C(SOCKFS_MAGIC),
                                               C(V9FS_MAGIC),
                                               C(BDEVFS_MAGIC),
                                               C(BINFMTFS_MAGIC),
                                               C(PIPEFS_MAGIC),
                                               C(NSFS_MAGIC),
                                               C(BPF_FS_MAGIC),
                                               C(TRACEFS_MAGIC),
                                               C(ANON_INODE_FS_MAGIC),
                                               C(CIFS_SUPER_MAGIC),
                                               C(SMB2_SUPER_MAGIC),
                                               {0x2fc12fc1, "ZFS_SUPER_MAGIC"}};
CONSTANTS(statfs_types, "???");
/* include/linux/statfs.h of the kernel. */
static const struct constant statfs_flags[] = {
    {0x20, "ST_VALID"},    {1, "ST_RDONLY"},        {2, "ST_NOSUID"},     {4, "ST_NODEV"},
    {8, "ST_NOEXEC"},      {16, "ST_SYNCHRONOUS"},  {64, "ST_MANDLOCK"},  {128, "ST_WRITE"},
    {256, "ST_APPEND"},    {512, "ST_IMMUTABLE"},   {1024, "ST_NOATIME"}, {2048, "ST_NODIRATIME"},
    {4096, "ST_RELATIME"}, {8192, "ST_NOSYMFOLLOW"}};
CONSTANTS(statfs_flags, "ST_???");
