#include <elfutils/libdw.h>
#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/bench/bench_impl.h"
#include "base/env.h"
#include "base/text.h"
#include "symbols/elf/debug_file.h"
#include "symbols/elf/dwarf_text.h"

enum { UNITS_MOST = 64 };

/* Opens the program that execvp finds, or -1. Opens only regular files, because a pipe may block.
 */
static int open_found_program(const char *name)
{
    char path[PATH_MAX];
    const char *dirs = strchr(name, '/') ? "" : env_get("PATH");
    struct stat st;
    for (const char *dir = dirs ? dirs : "/bin:/usr/bin";; dir += strcspn(dir, ":") + 1) {
        size_t n = strcspn(dir, ":");
        snprintf(path, sizeof path, "%.*s%s%s", (int)(n < 3000 ? n : 3000), dir, n ? "/" : "",
                 name);
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
            return fd;
        if (fd >= 0)
            close(fd);
        if (dir[n] == '\0')
            return -1;
    }
}

/* Copies the producer of the first unit that is no assembler: "GNU C17 12.2.0 -mtune=generic -O2".
 */
static void read_producer(int fd, char *out, size_t size)
{
    Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    for (int i = 0; dwarf && !*out && i < UNITS_MOST &&
                    dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0;
         i++) {
        const char *text = dwarf_text(&die, DW_AT_producer);
        if (text && strncmp(text, "GNU AS", 6) != 0)
            snprintf(out, size, "%s", text);
    }
    if (dwarf)
        dwarf_end(dwarf);
}

/* Copies each text of .comment once; start files and libraries may have others than the program. */
static void read_comment(int fd, char *out, size_t size)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    Elf_Scn *section = elf ? elf_section(elf, ".comment") : NULL;
    Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
    size_t used = 0;
    for (size_t at = 0; data && data->d_buf && at < data->d_size;) {
        const char *text = (const char *)data->d_buf + at;
        size_t n = strnlen(text, data->d_size - at);
        char one[BENCH_COMPILER];
        snprintf(one, sizeof one, "%.*s", (int)(n < sizeof one ? n : sizeof one - 1), text);
        if (*one && !strstr(out, one) && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "; " : "", one);
        at += n + 1;
    }
    if (elf)
        elf_end(elf);
}

void find_compiler(const char *name, char *out, size_t size)
{
    *out = '\0';
    int fd = open_found_program(name);
    if (fd < 0)
        return;
    read_producer(fd, out, size);
    if (!*out)
        read_comment(fd, out, size);
    close(fd);
    text_whole(out);
}
