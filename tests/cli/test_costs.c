/* What every start of rooftop costs, read from the program file. */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/program.h"
#include "support/test.h"

/* The C library clears thread-local memory for every thread, used or not: large buffers belong on
 * the heap. */
TEST(threads_own_little)
{
    enum { MOST = 16 * 1024 };
    const char *path = program_rooftop();
    if (!path) {
        print_message("skipped: rooftop was not built\n");
        skip();
        return;
    }
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    size_t n = 0, looked_at = 0;
    assert_non_null(elf);
    assert_int_equal(elf_getphdrnum(elf, &n), 0);
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr p;
        assert_non_null(gelf_getphdr(elf, (int)i, &p));
        looked_at += p.p_type == PT_LOAD;
        if (p.p_type == PT_TLS && p.p_memsz > MOST)
            fail_msg("each thread has %zu bytes of _Thread_local variables, %d at most",
                     (size_t)p.p_memsz, MOST);
    }
    assert_true(looked_at > 0);
    elf_end(elf);
    close(fd);
}

/* scripts/live.txt lists functions that are linked next to each other, by source file. A file that
 * was renamed would silently drop out; a few are allowed. */
TEST(the_list_of_live_sources_is_true)
{
    char *line = NULL, last[512] = "";
    size_t size = 0, listed = 0, gone = 0;
    FILE *f = fopen("scripts/live.txt", "re");
    assert_non_null(f);
    while (getline(&line, &size, f) > 0) {
        line[strcspn(line, " \n")] = '\0';
        if (strchr(line, ':')) /* of a library */
            continue;
        listed++;
        if (access(line, R_OK) == 0)
            continue;
        gone++;
        snprintf(last, sizeof last, "%s", line);
    }
    free(line);
    fclose(f);
    assert_true(listed > 50);
    if (gone > listed / 10)
        fail_msg("scripts/live.txt names %zu files that are not there, such as %s: run "
                 "scripts/live.py",
                 gone, last);
}
