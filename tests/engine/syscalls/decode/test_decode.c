/* Events made by hand as text: ABIs that this machine does not run, odd results, hostile text. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/syscalls/calls.h"
#include "engine/syscalls/constants/constants.h"
#include "engine/syscalls/decode/decode.h"
#include "engine/syscalls/decode/fetch.h"
#include "engine/syscalls/log.h"
#include "engine/syscalls/stacks.h"
#include "engine/syscalls/memory.h"
#include "support/skip.h"
#include "support/test.h"

/* The memory of a program: what lies at one address. */
struct image {
    uint64_t address;
    const void *bytes;
    size_t n;
    unsigned reads;
};

static long read_image(void *ctx, uint64_t address, void *out, size_t n)
{
    struct image *m = ctx;
    m->reads++;
    if (address < m->address || address >= m->address + m->n)
        return -14;
    size_t at = address - m->address;
    if (n > m->n - at)
        n = m->n - at;
    memcpy(out, (const char *)m->bytes + at, n);
    return (long)n;
}

static struct syscall_event call(unsigned abi, const char *name, int64_t result)
{
    int number = syscall_number(abi, name);
    assert_in_range(number, 0, 10000);
    return (struct syscall_event){
        .kind = SYSCALL_CALL, .abi = (uint8_t)abi, .number = (uint32_t)number, .result = result};
}

static const struct syscall_context *context;

/* Fetches and writes the call as a tracer would; fails unless the text is this. */
static void expect(struct syscall_event e, struct image *image, const char *text)
{
    struct image none = {0};
    struct syscall_memory m = {read_image, image ? image : &none};
    struct syscall_pieces pieces = {0};
    int64_t result = e.result;
    char *out = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&out, &n);
    e.kind = SYSCALL_ENTRY;
    e.result = 0;
    syscall_fetch(&e, false, &m, 32, &pieces);
    e.kind = SYSCALL_CALL;
    e.result = result;
    syscall_fetch(&e, true, &m, 32, &pieces);
    syscall_pieces_lend(&pieces, &e);
    syscall_write(file, &e, context);
    fclose(file);
    assert_string_equal(out, text);
    free(out);
    syscall_pieces_free(&pieces);
}

TEST(arm64)
{
    struct syscall_event e = call(SYSCALL_ARM64, "openat", 3);
    struct image path = {0x1000, "/etc/hosts", 11, 0};
    e.args[0] = (uint64_t)-100;
    e.args[1] = 0x1000;
    e.args[2] = 040000 | 0100000; /* O_DIRECTORY|O_NOFOLLOW of arm */
    expect(e, &path, "openat(AT_FDCWD, \"/etc/hosts\", O_RDONLY|O_NOFOLLOW|O_DIRECTORY) = 3");
    uint8_t stat[128] = {0};
    memcpy(stat + 16, &(uint32_t){0100640}, 4);
    memcpy(stat + 48, &(uint64_t){1234}, 8);
    struct image st = {0x2000, stat, sizeof stat, 0};
    e = call(SYSCALL_ARM64, "fstat", 0);
    e.args[0] = 3;
    e.args[1] = 0x2000;
    expect(e, &st, "fstat(3, {st_mode=S_IFREG|0640, st_size=1234, ...}) = 0");
}

TEST(clones_differ)
{
    struct syscall_event e = call(SYSCALL_ARM64, "clone", 77);
    e.args[0] = 0x00080000 | 0x01000000 | 17; /* SETTLS, CHILD_SETTID, SIGCHLD */
    e.args[3] = 0x333000;
    e.args[4] = 0x444000;
    expect(e, NULL,
           "clone(child_stack=NULL, flags=CLONE_SETTLS|CLONE_CHILD_SETTID|SIGCHLD, tls=0x333000, "
           "child_tidptr=0x444000) = 77");
    e.abi = SYSCALL_X86_64;
    e.number = (uint32_t)syscall_number(SYSCALL_X86_64, "clone");
    expect(e, NULL,
           "clone(child_stack=NULL, flags=CLONE_SETTLS|CLONE_CHILD_SETTID|SIGCHLD, tls=0x444000, "
           "child_tidptr=0x333000) = 77");
}

TEST(bits32)
{
    /* the vector, the times and the texts have 4-byte words */
    static const uint32_t iov[] = {0x1010, 3, 0, 0, 0x00636261};
    struct image m = {0x1000, iov, sizeof iov, 0};
    struct syscall_event e = call(SYSCALL_I386, "writev", 3);
    e.args[0] = 0xffffffff;
    e.args[1] = 0x1000;
    e.args[2] = 1;
    expect(e, &m, "writev(-1, [{iov_base=\"abc\", iov_len=3}], 1) = 3");
    static const int32_t time[] = {-1, 5};
    m = (struct image){0x1000, time, sizeof time, 0};
    e = call(SYSCALL_ARM32, "nanosleep", 0);
    e.args[0] = 0x1000;
    expect(e, &m, "nanosleep({tv_sec=-1, tv_nsec=5}, NULL) = 0");
}

TEST(results)
{
    struct syscall_event e = call(SYSCALL_X86_64, "pause", -514);
    expect(e, NULL, "pause() = ? ERESTARTNOHAND (To be restarted if no handler)");
    e.result = -4000;
    expect(e, NULL, "pause() = -1 (errno 4000)");
    e.result = INT64_MIN;
    expect(e, NULL, "pause() = -9223372036854775808");
    e = call(SYSCALL_X86_64, "exit_group", 0);
    e.args[0] = 3;
    e.flags = SYSCALL_UNFINISHED;
    expect(e, NULL, "exit_group(3) = ?");
    e = call(SYSCALL_X86_64, "openat", -13); /* only its return was seen */
    e.flags = SYSCALL_NO_ENTRY;
    expect(e, NULL, "openat(?) = -1 EACCES (Permission denied)");
    e = call(SYSCALL_X86_64, "clone", 7);
    e.flags = SYSCALL_NO_ENTRY;
    expect(e, NULL, "clone(?) = 7");
    e = call(SYSCALL_X86_64, "getuid", -1);
    e.flags = SYSCALL_NO_ENTRY;
    expect(e, NULL, "getuid() = -1 EPERM (Operation not permitted)");
    e = call(SYSCALL_X86_64, "brk", 0x5000);
    expect(e, NULL, "brk(NULL) = 0x5000");
    e = call(SYSCALL_X86_64, "umask", 022);
    e.args[0] = 077;
    expect(e, NULL, "umask(077) = 022");
    e.number = 4711;
    e.result = -38;
    expect(e, NULL, "syscall_0x1267(0x3f, 0, 0, 0, 0, 0) = -1 ENOSYS (Function not implemented)");
}

TEST(devices)
{
    static const struct {
        uint64_t request;
        const char *text;
    } requests[] = {
        {0x80084b01, "AMDKFD_IOC_GET_VERSION"},
        {0xc0584b02, "AMDKFD_IOC_CREATE_QUEUE"},
        {0xc0406400, "DRM_IOCTL_VERSION"},
        {0xc0206440, "DRM_COMMAND_BASE+0 /* amdgpu: GEM_CREATE */"},
        {0xc020462a, "NV_ESC_RM_CONTROL"},
        {0x00005401, "TCGETS"},
        {0xc0011299, "_IOC(_IOC_READ|_IOC_WRITE, 0x12, 0x99, 0x1)"},
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        char text[160];
        struct syscall_event e = call(SYSCALL_X86_64, "ioctl", 0);
        e.args[0] = 5;
        e.args[1] = requests[i].request;
        e.args[2] = 0x7000;
        snprintf(text, sizeof text, "ioctl(5, %s, 0x7000) = 0", requests[i].text);
        expect(e, NULL, text);
    }
}

TEST(hostile_text)
{
    static const char text[] = "\33]0;owned\7\r\n\xe2\x80\xae\x9b\"\\";
    struct image m = {0x1000, text, sizeof text, 0};
    struct syscall_event e = call(SYSCALL_X86_64, "write", 5);
    e.args[0] = 1;
    e.args[1] = 0x1000;
    e.args[2] = sizeof text - 1;
    expect(e, &m, "write(1, \"\\33]0;owned\\7\\r\\n\\342\\200\\256\\233\\\"\\\\\", 18) = 5");
}

TEST(random_bytes)
{
    struct image m = {0x1000, "a\377\0", 3, 0};
    struct syscall_event e = call(SYSCALL_X86_64, "getrandom", 3);
    e.args[0] = 0x1000;
    e.args[1] = 3;
    expect(e, &m, "getrandom(\"\\x61\\xff\\x00\", 3, 0) = 3");
}

/* A string that ends where the memory ends, one that goes on, and one that has no end. */
TEST(ends_of_strings)
{
    static char text[8192];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 0;
    struct image m = {0x10000, text, sizeof text, 0};
    struct syscall_event e = call(SYSCALL_X86_64, "memfd_create", 3);
    e.args[0] = 0x10000 + sizeof text - 4;
    expect(e, &m, "memfd_create(\"aaa\", 0) = 3");
    e.args[0] = 0x10000;
    expect(e, &m, "memfd_create(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"..., 0) = 3");
    text[sizeof text - 1] = 'a';
    e.args[0] = 0x10000 + sizeof text - 4;
    expect(e, &m, "memfd_create(0x11ffc, 0) = 3");
}

/* Memory of one call is bounded, however much there is. */
TEST(memory_is_bounded)
{
    static uint64_t words[8192];
    static char text[4096];
    struct syscall_pieces p = {0};
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < 8192; i++)
        words[i] = 0x100000;
    struct image m = {0x100000, words, sizeof words, 0};
    struct syscall_memory memory = {read_image, &m};
    struct syscall_event e = call(SYSCALL_X86_64, "execve", 0);
    e.args[0] = e.args[1] = e.args[2] = 0x100000;
    syscall_fetch(&e, false, &memory, UINT32_MAX, &p);
    assert_true(p.nbytes <= SYSCALL_PIECES);
    assert_true(m.reads < 10000);
    syscall_pieces_free(&p);
}

TEST(other_events)
{
    static const struct {
        struct syscall_event e;
        const char *text;
    } events[] = {
        {{.kind = SYSCALL_EXIT, .result = 3 << 8}, "+++ exited with 3 +++"},
        {{.kind = SYSCALL_EXIT, .result = 11 | 128}, "+++ killed by SIGSEGV (core dumped) +++"},
        {{.kind = SYSCALL_EXIT, .result = -1}, "+++ exited +++"},
        {{.kind = SYSCALL_STOP, .result = 19}, "--- stopped by SIGSTOP ---"},
        {{.kind = SYSCALL_LOST, .args = {7}}, "+++ 7 calls lost +++"},
        {{.kind = SYSCALL_SIGNAL, .result = 11, .args = {1, 0, 0x30}},
         "--- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=0x30} ---"},
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        char *out = NULL;
        size_t n = 0;
        FILE *file = open_memstream(&out, &n);
        syscall_write(file, &events[i].e, NULL);
        fclose(file);
        assert_string_equal(out, events[i].text);
        free(out);
    }
}

/* Expected texts: strace 6.1 of a program whose filter returns SECCOMP_RET_TRAP for getppid. */
TEST(the_call_that_a_filter_refused)
{
    siginfo_t info = {.si_signo = SIGSYS, .si_code = 1};
    const struct syscall_piece whole = {.size = sizeof info};
    struct syscall_event e = {.kind = SYSCALL_SIGNAL,
                              .result = SIGSYS,
                              .pieces = &whole,
                              .npieces = 1,
                              .bytes = (const uint8_t *)&info,
                              .nbytes = sizeof info};
    char *out = NULL;
    size_t n = 0;
    info.si_call_addr = (void *)0x7f517f04d829; /* NOLINT: an address of another program */
    info.si_syscall = 110;
    info.si_arch = 0xc000003e;
    for (int other = 0; other < 2; other++) {
        FILE *file = open_memstream(&out, &n);
        syscall_write(file, &e, NULL);
        fclose(file);
        assert_string_equal(
            out, other ? "--- SIGSYS {si_signo=SIGSYS, si_code=SYS_SECCOMP, si_errno=7, "
                         "si_call_addr=0x7f517f04d829, si_syscall=9999, si_arch=0x28} ---"
                       : "--- SIGSYS {si_signo=SIGSYS, si_code=SYS_SECCOMP, "
                         "si_call_addr=0x7f517f04d829, si_syscall=__NR_getppid, "
                         "si_arch=AUDIT_ARCH_X86_64} ---");
        free(out);
        info.si_errno = 7;
        info.si_syscall = 9999;
        info.si_arch = 0x28;
    }
}

static const char *descriptor(void *ctx, int32_t pid, int fd)
{
    (void)ctx;
    return pid == 9 && fd == 3 ? "/tmp/a>b\n" : NULL;
}

TEST(descriptors)
{
    context = &(const struct syscall_context){.descriptor = descriptor};
    struct syscall_event e = call(SYSCALL_X86_64, "dup2", 4);
    e.pid = 9;
    e.args[0] = 3;
    e.args[1] = 4;
    expect(e, NULL, "dup2(3</tmp/a\\>b\\n>, 4) = 4");
    context = NULL;
}

static void name_task(void *ctx, int32_t tid, char text[SYSCALL_TASK_TEXT])
{
    snprintf(text, SYSCALL_TASK_TEXT, "%s %d", (const char *)ctx, tid == 4711);
}

/* Processes, users and addresses, also inside of structures; what the program wrote stays. */
TEST(text_that_is_the_same_in_every_run)
{
    context = &(const struct syscall_context){.task = name_task, .ctx = "process"};
    struct image owner = {0x1000, (const int32_t[]){1, 4711}, 8, 0};
    struct syscall_event e = call(SYSCALL_X86_64, "fcntl", 0);
    e.args[1] = 15; /* F_SETOWN_EX */
    e.args[2] = 0x1000;
    expect(e, &owner, "fcntl(0, F_SETOWN_EX, {type=F_OWNER_PID, pid=process 1}) = 0");
    struct image credentials = {0x1000, (const int32_t[]){4711, 1000, 100, 12}, 16, 0};
    e = call(SYSCALL_X86_64, "getsockopt", 0);
    e.args[1] = 1;  /* SOL_SOCKET */
    e.args[2] = 17; /* SO_PEERCRED */
    e.args[3] = 0x1000;
    e.args[4] = 0x100c;
    expect(e, &credentials,
           "getsockopt(0, SOL_SOCKET, SO_PEERCRED, {pid=process 1, uid=..., gid=...}, [12]) = 0");
    struct image vector = {0x1000, (const uint64_t[]){0x7ffe00001000, 3, 0x2000, 4}, 32, 0};
    e = call(SYSCALL_X86_64, "writev", 7);
    e.args[0] = 1;
    e.args[1] = 0x1000;
    e.args[2] = 2;
    expect(e, &vector,
           "writev(1, [{iov_base=ADDRESS, iov_len=3}, {iov_base=0x2000, iov_len=4}], 2) = 7");
    e = call(SYSCALL_X86_64, "fcntl", 0);
    e.args[1] = 9999;
    e.args[2] = 0x7ffe00001000;
    expect(e, NULL, "fcntl(0, 0x270f /* F_??? */, ADDRESS) = 0");
    e = call(SYSCALL_X86_64, "keyctl", 0);
    e.args[1] = e.args[2] = e.args[3] = 0x7ffe00001000;
    e.args[4] = 16;
    expect(e, NULL, "keyctl(KEYCTL_GET_KEYRING_ID, ADDRESS, ADDRESS, ADDRESS, 0x10) = 0");
    e = call(SYSCALL_X86_64, "prctl", 0);
    e.args[0] = 77777;
    e.args[1] = 0x7ffe00001000;
    e.args[2] = 16;
    expect(e, NULL, "prctl(0x12fd1 /* PR_??? */, ADDRESS, 0x10, 0, 0) = 0");
    e = call(SYSCALL_X86_64, "arch_prctl", 0);
    e.args[0] = 0x1002; /* ARCH_SET_FS */
    e.args[1] = 0x7ffe00001000;
    expect(e, NULL, "arch_prctl(ARCH_SET_FS, ADDRESS) = 0");
    e = call(SYSCALL_X86_64, "shmget", 0);
    e.args[0] = 0x12345678;
    e.args[1] = 4096;
    e.args[2] = 0600;
    expect(e, NULL, "shmget(ADDRESS, 4096, 0600) = 0");
    e = call(SYSCALL_X86_64, "personality", 0);
    e.args[0] = UINT32_MAX;
    expect(e, NULL, "personality(ADDRESS) = 0 (PER_LINUX)");
    struct image path = {0x1000, "pid=4711 0x7ffe00001000", 24, 0};
    e = call(SYSCALL_X86_64, "unlink", 0);
    e.args[0] = 0x1000;
    expect(e, &path, "unlink(\"pid=4711 0x7ffe00001000\") = 0");
    context = NULL;
}

/* What is added comes back, and what does not fit is counted. */
TEST(logs)
{
    struct syscall_log *log = syscall_log_new(1 << 20);
    struct syscall_piece piece = {.address = 0x1000, .size = 5};
    struct syscall_event e = call(SYSCALL_X86_64, "write", 5);
    const struct syscall_stack stack = {.id = 7};
    e.pieces = &piece;
    e.npieces = 1;
    e.bytes = (const uint8_t *)"hello";
    e.nbytes = 5;
    e.stack = &stack;
    for (uint64_t i = 0; i < 20000; i++) {
        e.begin_ns = i;
        syscall_log_add(log, &e);
    }
    size_t kept = syscall_log_count(log), n = 5;
    assert_in_range(kept, 1000, 19999);
    assert_int_equal(kept + syscall_log_lost(log), 20000);
    struct syscall_event last = syscall_log_at(log, kept - 1);
    assert_int_equal(last.begin_ns, kept - 1);
    assert_memory_equal(syscall_kept(&last, 0x1000, false, &n, NULL), "hello", 5);
    assert_int_equal(last.stack->id, 7);
    syscall_log_free(log);
    syscall_log_free(NULL);
}

/* The numbers of requests are those of a driver's header. form: what stands before a name, in a
 * line with DRM_IOWR(0x09, ...), on the same line or the next. Returns how many the header has. */
static unsigned compare_requests(const char *header, const char *form,
                                 const struct constants *table)
{
    char line[512], name[128] = "";
    unsigned n = 0, number;
    FILE *in = fopen(header, "r");
    while (in && fgets(line, sizeof line, in)) {
        char format[64];
        snprintf(format, sizeof format, "#define %s%%127s", form);
        sscanf(line, format, name);
        const char *at = strstr(line, "0x");
        if (!name[0] || !at || sscanf(at, "%x", &number) != 1)
            continue;
        const char *ours = constant_name(table, number);
        if (ours && strcmp(ours, name) != 0)
            fail_msg("request %#x is %s, in %s it is %s", number, ours, header, name);
        n += ours != NULL;
        name[0] = '\0';
    }
    if (in)
        fclose(in);
    return n;
}

TEST(requests_of_gpus)
{
    const unsigned kfd =
        compare_requests("/usr/include/linux/kfd_ioctl.h", "AMDKFD_IOC_", &constants_kfd_requests);
    const unsigned drm =
        compare_requests("/usr/include/libdrm/drm.h", "DRM_IOCTL_", &constants_drm_requests);
    if (kfd + drm == 0)
        skip_because("requests of GPU drivers: install linux-libc-dev and libdrm-dev");
    assert_true(kfd == 0 || kfd > 25);
    assert_true(drm == 0 || drm > 50);
}
