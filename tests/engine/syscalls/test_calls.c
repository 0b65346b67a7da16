/* The table of calls agrees with the headers of the kernel; names, classes, filters. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "engine/syscalls/calls_impl.h"
#include "support/skip.h"
#include "support/test.h"

/* Prints "NAME NUMBER" for each __NR_NAME of the header: resolves names of names and "(base + 5)".
 */
static const char NUMBERS[] =
    "command -v %s >/dev/null 2>&1 && echo '#include <%s>' | %s -E -dM -x c - 2>/dev/null | awk '"
    "/^#define __NR/ { n = $2; sub(/^#define [^ ]+ /, \"\"); gsub(/[()]/, \"\");"
    "                  sub(/.*[+] */, \"\"); v[n] = $0 } "
    "END { for (n in v) { x = v[n]; while (x in v) x = v[x];"
    "      if (x ~ /^[0-9]+$/ && n ~ /^__NR_/) print substr(n, 6), x } }'";

/* arm64's header keeps old names of two calls, and two that are no calls. */
static const char *kernel_name(const char *name)
{
    if (strcmp(name, "syscalls") == 0 || strcmp(name, "arch_specific_syscall") == 0)
        return NULL;
    return strcmp(name, "fstatat") == 0 ? "newfstatat" : name;
}

/* Compares the header's calls with the table's. Returns how many there are. */
static unsigned compare_header(const char *compiler, const char *header, unsigned abi)
{
    char command[1024], line[256], name[128];
    unsigned n = 0;
    int number;
    snprintf(command, sizeof command, NUMBERS, compiler, header, compiler);
    FILE *in = popen(command, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        if (sscanf(line, "%127s %d", name, &number) != 2 || !kernel_name(name))
            continue;
        int ours = syscall_number(abi, kernel_name(name));
        if (ours != number)
            fail_msg("%s is number %d in calls.def, %d in %s", name, ours, number, header);
        assert_string_equal(syscall_name(abi, (uint32_t)number), kernel_name(name));
        n++;
    }
    pclose(in);
    return n;
}

TEST(numbers_of_x86)
{
#ifdef __x86_64__
    assert_in_range(compare_header("cc", "asm/unistd_64.h", SYSCALL_X86_64), 350, 1000);
    assert_in_range(compare_header("cc", "asm/unistd_32.h", SYSCALL_I386), 400, 1000);
    assert_in_range(compare_header("cc", "asm/unistd_x32.h", SYSCALL_X32), 350, 1000);
#else
    skip_because("x86's numbers: their headers are not here; run it on x86-64");
#endif
}

TEST(numbers_of_arm64)
{
#ifdef __aarch64__
    unsigned n = compare_header("cc", "asm/unistd.h", SYSCALL_ARM64);
#else
    unsigned n = compare_header("aarch64-linux-gnu-gcc", "asm/unistd.h", SYSCALL_ARM64);
    if (n == 0)
        skip_because("arm64's numbers: install gcc-aarch64-linux-gnu and its headers");
#endif
    assert_in_range(n, 300, 1000);
}

/* No number is given twice, and every length or operation that an argument depends on is there. */
TEST(rows_are_sound)
{
    for (size_t i = 0; syscall_row(i); i++) {
        const struct syscall_call *row = syscall_row(i);
        for (unsigned abi = 0; abi < SYSCALL_ABIS; abi++)
            if (row->numbers[abi] >= 0)
                assert_ptr_equal(syscall_find(abi, (uint32_t)row->numbers[abi]), row);
        assert_in_range(strnlen(row->name, sizeof row->name), 1, sizeof row->name - 1);
        for (unsigned a = 0; a < row->nargs; a++) {
            assert_in_range(strnlen(row->args[a].name, sizeof row->args[a].name), 1,
                            sizeof row->args[a].name - 1);
            if (row->args[a].other >= row->nargs)
                fail_msg("%s: argument %u depends on one that is not there", row->name, a);
        }
    }
}

TEST(names_and_classes)
{
    assert_int_equal(syscall_number(SYSCALL_X86_64, "openat"), 257);
    assert_int_equal(syscall_number(SYSCALL_ARM64, "openat"), 56);
    assert_int_equal(syscall_number(SYSCALL_ARM64, "open"), -1);
    assert_int_equal(syscall_number(SYSCALL_X86_64, "opennt"), -1);
    assert_int_equal(syscall_number(SYSCALL_ABIS, "openat"), -1);
    assert_string_equal(syscall_name(SYSCALL_X32, 515), "readv");
    assert_string_equal(syscall_name(SYSCALL_X86_64, 0x7f1b5), "syscall_0x7f1b5");
    assert_int_equal(syscall_nargs(SYSCALL_X86_64, 257), 4);
    assert_int_equal(syscall_nargs(SYSCALL_X86_64, 39), 0);
    assert_int_equal(syscall_nargs(SYSCALL_X86_64, 9999), 6);
    assert_string_equal(syscall_arg_name(SYSCALL_X86_64, 257, 1), "pathname");
    assert_null(syscall_arg_name(SYSCALL_X86_64, 257, 4));
    assert_int_equal(syscall_classes(SYSCALL_X86_64, 257), SYSCALL_CLASS_FILE | SYSCALL_CLASS_DESC);
    assert_int_equal(syscall_classes(SYSCALL_X86_64, 9), SYSCALL_CLASS_MEMORY | SYSCALL_CLASS_DESC);
    assert_int_equal(syscall_numbers(SYSCALL_X86_64), 472);
    assert_string_equal(syscall_errno_name(2), "ENOENT");
    assert_string_equal(syscall_errno_text(2), "No such file or directory");
    assert_string_equal(syscall_errno_name(512), "ERESTARTSYS");
    assert_null(syscall_errno_name(4000));
    assert_string_equal(syscall_signal_name(SIGSEGV), "SIGSEGV");
    assert_string_equal(syscall_signal_name(35), "SIGRT_3");
    assert_null(syscall_signal_name(0));
    assert_null(syscall_signal_name(65));
}

/* An expression and calls of x86-64: wanted ones, then those that are not. */
static const struct {
    const char *text, *wanted, *unwanted;
} filters[] = {
    {"openat,read", "openat read", "write getpid"},
    {"trace=openat", "openat", "open"},
    {"%file", "openat stat mount getcwd", "read mmap"},
    {"file,!stat", "openat lstat", "stat"},
    {"stat", "stat", "fstat lstat"},
    {"%stat", "stat fstat lstat newfstatat statx", "openat"},
    {"trace=%file,!%stat", "openat", "stat newfstatat statx"},
    {"!/^futex/", "read", "futex futex_waitv"},
    {"/^(read|write)v?$/", "read writev", "pread64 readlink"},
    {"/a,b/,read", "read", "write"},
    {"network", "socket connect sendto", "read"},
    {"all,!read", "write", "read"},
    {"?nosuchcall,read", "read", "write"},
    {"%desc,!%network", "read epoll_wait", "accept"},
};

static void check_calls(const struct syscall_filter *f, const char *names, bool wanted,
                        const char *text)
{
    char copy[128], *save = NULL;
    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
        int number = syscall_number(SYSCALL_X86_64, name);
        assert_in_range(number, 0, 1000);
        if (syscall_filter_wants(f, SYSCALL_X86_64, (uint32_t)number) != wanted)
            fail_msg("'%s' %s %s", text, wanted ? "leaves out" : "wants", name);
    }
}

TEST(filters_choose)
{
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        struct error err = ERROR_INIT;
        struct syscall_filter *f = syscall_filter_parse(filters[i].text, &err);
        if (!f)
            fail_msg("'%s': %s", filters[i].text, err.why);
        check_calls(f, filters[i].wanted, true, filters[i].text);
        check_calls(f, filters[i].unwanted, false, filters[i].text);
        syscall_filter_free(f);
    }
    assert_true(syscall_filter_wants(NULL, SYSCALL_X86_64, 0));
    struct syscall_filter *f = syscall_filter_parse("!read", NULL);
    assert_true(syscall_filter_wants(f, SYSCALL_X86_64, 5000));
    assert_false(syscall_filter_wants(f, SYSCALL_ARM64, 63));
    syscall_filter_free(f);
    f = syscall_filter_parse("read", NULL);
    assert_false(syscall_filter_wants(f, SYSCALL_X86_64, 5000));
    syscall_filter_free(f);
}

static const struct {
    const char *text, *what, *in_help;
} refused[] = {
    {"opennat", "calls, character 1", "'openat'"},
    {"read,%netwrk", "calls, character 6", "'network'"},
    {"trace=read,,write", "calls, character 12", "commas"},
    {"", "calls, character 1", "commas"},
    {"!", "calls, character 1", "commas"},
    {"/x", "calls, character 1", "close it"},
    {"read,/(/", "calls, character 6", "regular expression"},
    {"xyzzyxyzzy", "calls, character 1", "manual pages"},
};

TEST(filters_refuse)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct error err = ERROR_INIT;
        assert_null(syscall_filter_parse(refused[i].text, &err));
        assert_int_equal(err.kind, ERROR_USAGE);
        assert_string_equal(err.what, refused[i].what);
        if (!strstr(err.help, refused[i].in_help))
            fail_msg("'%s': the help is '%s'", refused[i].text, err.help);
    }
}
