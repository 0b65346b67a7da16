/* Arguments of calls on files: how to open them, their kind and state. */
#include "engine/syscalls/decode/types.h"

#define VALUE (d->e->args[arg])

void emit_open_flags(struct decoder *d, uint64_t flags)
{
    enum { MODE = 3 }; /* O_ACCMODE */
    bool arm = d->e->abi == SYSCALL_ARM64 || d->e->abi == SYSCALL_ARM32;
    emit_rest(d, constant_name(&constants_open_modes, flags & MODE),
              arm ? &constants_open_flags_arm : &constants_open_flags_x86, flags & ~(uint64_t)MODE);
}

void write_open_flags(struct decoder *d, unsigned arg)
{
    emit_open_flags(d, (uint32_t)VALUE);
}

/* struct open_how, linux/openat2.h: flags, mode, resolve, each of 64 bits. */
void write_open_how(struct decoder *d, unsigned arg)
{
    uint64_t how[3];
    if (other(d, arg) < sizeof how || !take(d, AT_ENTRY, VALUE, how, sizeof how)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "{flags=");
    emit_open_flags(d, how[0]);
    if (how[0] & 020000100 || how[1]) {
        emit_text(d, ", mode=");
        emit_mode(d, (uint32_t)how[1]);
    }
    emit_text(d, ", resolve=");
    emit_flags(d, &constants_resolve_flags, how[2]);
    emit_text(d, "}");
}

void write_access_mode(struct decoder *d, unsigned arg)
{
    static const struct constant modes[] = {{4, "R_OK"}, {2, "W_OK"}, {1, "X_OK"}, {0, "F_OK"}};
    static const struct constants table = {modes, 4, "?_OK"};
    emit_flags(d, &table, (uint32_t)VALUE);
}

/* S_IFREG|S_ISUID|0644 */
static void emit_file_mode(struct decoder *d, uint32_t mode)
{
    enum { KIND = 0170000, SPECIAL = 07000 };
    const char *kind = constant_name(&constants_file_types, mode & KIND);
    if (!kind && mode & KIND) {
        emit_mode(d, mode);
        return;
    }
    emit(d, "%s%s%s%s%s%#03o", kind ? kind : "", kind ? "|" : "", mode & 04000 ? "S_ISUID|" : "",
         mode & 02000 ? "S_ISGID|" : "", mode & 01000 ? "S_ISVTX|" : "",
         mode & ~(unsigned)(KIND | SPECIAL));
}

void write_file_mode(struct decoder *d, unsigned arg)
{
    emit_file_mode(d, (uint16_t)VALUE);
}

/* A device number as the kernel packs it into 32 bits (new_encode_dev, linux/kdev_t.h). */
static void emit_packed_dev(struct decoder *d, uint64_t dev)
{
    emit_dev(d, (dev >> 8 & 0xfff) | (dev >> 32 & 0xfffff000),
             (dev & 0xff) | (dev >> 12 & 0xffffff00));
}

void write_dev(struct decoder *d, unsigned arg)
{
    emit_packed_dev(d, (uint32_t)VALUE);
}

/* Offsets in struct stat. Source: asm/stat.h of x86, asm-generic/stat.h for arm64. */
struct stat_layout {
    uint8_t mode, mode_size, size, rdev;
};

void write_stat_out(struct decoder *d, unsigned arg)
{
    static const struct stat_layout x86_64 = {24, 4, 48, 40}, arm64 = {16, 4, 48, 32};
    const struct stat_layout *at = d->e->abi == SYSCALL_ARM64 ? &arm64 : &x86_64;
    uint8_t raw[144];
    size_t n = d->e->abi == SYSCALL_ARM64 ? 128 : sizeof raw;
    if (!has_result(d) || pointer_size(d) != 8 || !take(d, AT_RETURN, VALUE, raw, n)) {
        emit_address(d, VALUE);
        return;
    }
    uint32_t mode;
    int64_t size;
    uint64_t rdev;
    __builtin_memcpy(&mode, raw + at->mode, sizeof mode);
    __builtin_memcpy(&size, raw + at->size, sizeof size);
    __builtin_memcpy(&rdev, raw + at->rdev, sizeof rdev);
    emit_text(d, "{st_mode=");
    emit_file_mode(d, mode);
    if ((mode & 0170000) == 0020000 || (mode & 0170000) == 0060000) {
        emit_text(d, ", st_rdev=");
        emit_packed_dev(d, rdev);
    } else
        emit(d, ", st_size=%lld", (long long)size);
    emit_text(d, ", ...}");
}

/* Two bits of the flags are a number: how far to ask a remote file system. */
void write_statx_flags(struct decoder *d, unsigned arg)
{
    enum { SYNC = 0x6000 };
    uint32_t flags = (uint32_t)VALUE;
    emit_rest(d, constant_name(&constants_statx_syncs, flags & SYNC), &constants_statx_flags,
              flags & ~(uint32_t)SYNC);
}

/* struct statx, linux/stat.h: it is the same everywhere. */
void write_statx_out(struct decoder *d, unsigned arg)
{
    struct {
        uint32_t mask, blksize;
        uint64_t attributes;
        uint32_t nlink, uid, gid;
        uint16_t mode, spare;
        uint64_t ino, size, blocks, attributes_mask;
    } s;
    if (!has_result(d) || !take(d, AT_RETURN, VALUE, &s, sizeof s)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "{stx_mask=");
    emit_flags(d, &constants_statx_mask, s.mask);
    emit_text(d, ", stx_attributes=");
    emit_flags(d, &constants_stx_attributes, s.attributes);
    emit_text(d, ", stx_mode=");
    emit_file_mode(d, s.mode);
    emit(d, ", stx_size=%llu, ...}", (unsigned long long)s.size);
}

/* struct statfs, asm-generic/statfs.h: longs, except the file system's id of two ints. */
void write_statfs_out(struct decoder *d, unsigned arg)
{
    int64_t s[12];
    if (!has_result(d) || long_size(d) != 8 || !take(d, AT_RETURN, VALUE, s, sizeof s)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "{f_type=");
    emit_constant(d, &constants_statfs_types, (uint64_t)s[0]);
    emit(d,
         ", f_bsize=%lld, f_blocks=%llu, f_bfree=%llu, f_bavail=%llu, f_files=%llu, f_ffree=%llu",
         (long long)s[1], (unsigned long long)s[2], (unsigned long long)s[3],
         (unsigned long long)s[4], (unsigned long long)s[5], (unsigned long long)s[6]);
    emit(d, ", f_fsid={val=[%#x, %#x]}, f_namelen=%lld, f_frsize=%lld, f_flags=", (unsigned)s[7],
         (unsigned)((uint64_t)s[7] >> 32), (long long)s[8], (long long)s[9]);
    emit_flags(d, &constants_statfs_flags, (uint64_t)s[10]);
    emit_text(d, "}");
}

/* struct mount_attr, linux/mount.h. */
void write_mount_attr(struct decoder *d, unsigned arg)
{
    uint64_t a[4];
    if (other(d, arg) < sizeof a || !take(d, AT_ENTRY, VALUE, a, sizeof a)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "{attr_set=");
    emit_flags(d, &constants_mount_attr_flags, a[0]);
    emit_text(d, ", attr_clr=");
    emit_flags(d, &constants_mount_attr_flags, a[1]);
    emit_text(d, ", propagation=");
    emit_flags(d, &constants_mount_flags, a[2]);
    emit(d, ", userns_fd=%llu}", (unsigned long long)a[3]);
}

void write_landlock_ruleset(struct decoder *d, unsigned arg)
{
    uint64_t access;
    if (other(d, arg) < sizeof access || !take(d, AT_ENTRY, VALUE, &access, sizeof access)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "{handled_access_fs=");
    emit_flags(d, &constants_landlock_access, access);
    emit_text(d, "}");
}

/* fsconfig: a string, a path or nothing, depending on the command. Source: linux/mount.h. */
void write_fsconfig_value(struct decoder *d, unsigned arg)
{
    switch ((uint32_t)other(d, arg)) {
    case 1: /* FSCONFIG_SET_STRING */
        emit_string(d, AT_ENTRY, VALUE, 0);
        return;
    case 2: /* FSCONFIG_SET_BINARY: the length is the next argument */
        emit_buffer(d, AT_ENTRY, VALUE, d->e->args[4]);
        return;
    case 3:
    case 4: /* FSCONFIG_SET_PATH, FSCONFIG_SET_PATH_EMPTY */
        emit_string(d, AT_ENTRY, VALUE, 4096);
        return;
    default:
        emit_address(d, VALUE);
    }
}
