/* The breakpoint that shows whether there can be any is set in our own file, also where a loader
 * that was called by name has started us: set at the same offset of the loader, it broke every
 * program that started meanwhile. (A loader starts it: not for TSan.) */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "backends/usdt/usdt_impl.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

static char self[4096];

/* The place of our entry; the file's bytes there are those in memory. */
static int check_place(const char *own)
{
    char path[USDT_PATH], bytes[16];
    uint64_t offset;
    if (!usdt_entry_place(path, &offset))
        return 2;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = pread(fd, bytes, sizeof bytes, (off_t)offset);
    close(fd);
    const void *entry = (const void *)getauxval(AT_ENTRY); // NOLINT
    if (n != sizeof bytes || memcmp(bytes, entry, sizeof bytes) != 0)
        return 3;
    return strcmp(path, own) == 0 ? 0 : 4;
}

TEST(test_our_own_file)
{
    assert_int_equal(check_place(self), 0);
}

TEST(test_started_by_a_loader)
{
    static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2",
                                          "/lib/ld-linux-aarch64.so.1"};
    char line[9000];
    for (size_t i = 0; i < 2; i++) {
        if (access(loaders[i], X_OK) != 0)
            continue;
        struct program p;
        snprintf(line, sizeof line, "%s %s --place %s", loaders[i], self, self);
        program_run(&p, line);
        assert_int_equal(p.status, 0);
        program_free(&p);
        return;
    }
    skip_because("no loader of a known name");
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--place") == 0)
        return check_place(argv[2]);
    if (!realpath("/proc/self/exe", self))
        return 1;
    return tests_run(NULL, NULL);
}
