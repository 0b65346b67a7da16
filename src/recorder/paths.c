/* The paths that calls get, copied while they are what the kernel reads. */
#include <asm/unistd.h>

#include "recorder/recorder.h"

enum { PATH_BYTES = 256, PART = 5 * 8, PAGE = 4096 };

/* Calls with paths; arguments: a bit for each that is one. */
static const struct with_path {
    uint16_t number;
    uint8_t arguments;
} with_paths[] = {
    {__NR_open, 1},         {__NR_stat, 1},
    {__NR_lstat, 1},        {__NR_access, 1},
    {__NR_truncate, 1},     {__NR_chdir, 1},
    {__NR_rename, 3},       {__NR_mkdir, 1},
    {__NR_rmdir, 1},        {__NR_creat, 1},
    {__NR_link, 3},         {__NR_unlink, 1},
    {__NR_symlink, 3},      {__NR_readlink, 1},
    {__NR_chmod, 1},        {__NR_chown, 1},
    {__NR_lchown, 1},       {__NR_statfs, 1},
    {__NR_chroot, 1},       {__NR_openat, 2},
    {__NR_mkdirat, 2},      {__NR_mknodat, 2},
    {__NR_fchownat, 2},     {__NR_newfstatat, 2},
    {__NR_unlinkat, 2},     {__NR_renameat, 10},
    {__NR_linkat, 10},      {__NR_symlinkat, 5},
    {__NR_readlinkat, 2},   {__NR_fchmodat, 2},
    {__NR_faccessat, 2},    {__NR_utimensat, 2},
    {__NR_renameat2, 10},   {__NR_statx, 2},
    {__NR_openat2, 2},      {__NR_faccessat2, 2},
    {__NR_execve, 1},       {__NR_execveat, 2},
    {__NR_getxattr, 1},     {__NR_lgetxattr, 1},

    {__NR_memfd_create, 1}, {__NR_inotify_add_watch, 2},
};

static uint8_t arguments_of(uint64_t number)
{
    for (unsigned i = 0; i < sizeof with_paths / sizeof *with_paths; i++)
        if (with_paths[i].number == number)
            return with_paths[i].arguments;
    return 0;
}

void paths_start(void)
{
    for (unsigned i = 0; i < sizeof with_paths / sizeof *with_paths; i++)
        recorder_careful[with_paths[i].number] = 1;
}

/* Bytes of the text with its NUL, or as many as are kept or can be read. */
static size_t read_text(char out[PATH_BYTES], uint64_t from)
{
    const size_t first = PAGE - from % PAGE; /* the next page may not be there */
    size_t n = copy_in_part(out, from, first < PATH_BYTES ? first : PATH_BYTES);
    size_t length = 0;
    while (length < n && out[length])
        length++;
    if (length == n && n == first && n < PATH_BYTES)
        n += copy_in_part(out + n, from + n, PATH_BYTES - n);
    while (length < n && out[length])
        length++;
    return length < n ? length + 1 : n;
}

static void put_path(struct syscall_ring *r, uint64_t entry, unsigned arg, uint64_t address)
{
    char text[PATH_BYTES + PART];
    const size_t n = address ? read_text(text, address) : 0;
    for (size_t done = 0; done < n; done += PART) {
        uint64_t data[6] = {entry};
        const size_t part = n - done < PART ? n - done : PART;
        memcpy(data + 1, text + done, part);
        ring_put(r, (uint32_t)(arg | part << 8), SYSCALL_RING_BYTES, data);
    }
}

void paths_put(struct syscall_ring *r, const struct frame *f)
{
    const uint64_t args[4] = {f->rdi, f->rsi, f->rdx, f->r10};
    const uint8_t which = recorder_control->paths ? arguments_of(f->rax) : 0;
    for (unsigned i = 0; i < 4; i++)
        if (which >> i & 1)
            put_path(r, f->entry, i, args[i]);
}
