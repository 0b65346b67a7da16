#include "support/compiled.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <gelf.h>

#include "support/program.h"

static char dir[64];

const char compiled_c[] =
    "#include <stdio.h>\n#include <stdlib.h>\n"
    "static inline int innermost(int x)\n{\n    return x * 7 + (x >> 3);\n}\n"
    "static inline int middle(int x)\n{\n    int s = 0;\n    for (int i = 0; i < x; i++)\n"
    "        s += innermost(i) ^ innermost(s);\n    return s;\n}\n"
    "__attribute__((cold, noinline)) static void rarely(int x)\n{\n    fprintf(stderr, \"%d\\n\", "
    "x);\n    abort();\n}\n"
    "__attribute__((noinline)) int outer(int x)\n{\n    if (__builtin_expect(x < 0, 0))\n"
    "        rarely(middle(-x));\n    return middle(x) + middle(x + 1);\n}\n"
    "__attribute__((noinline)) int unused(int x)\n{\n    return outer(x) + 1;\n}\n"
    "int main(int argc, char **argv)\n{\n    (void)argv;\n    printf(\"%d\\n\", outer(argc));\n"
    "    return middle(argc) & 1;\n}\n";

void compiled_write(const char *name, const char *text)
{
    FILE *f = fopen(compiled_path(name), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

bool compiled_shell(const char *command)
{
    char line[1024];
    struct program p;
    snprintf(line, sizeof line, "cd %s && %s", dir, command);
    program_run(&p, line);
    bool ok = p.status == 0;
    if (!ok)
        print_message("%s: %s\n", command, p.err);
    program_free(&p);
    return ok;
}

void compiled_new(void)
{
    snprintf(dir, sizeof dir, "/tmp/rooftop-compiled-XXXXXX");
    assert_non_null(mkdtemp(dir));
    compiled_write("a.c", compiled_c);
}

void compiled_free(void)
{
    char line[128];
    struct program p;
    snprintf(line, sizeof line, "rm -rf %s", dir);
    program_run(&p, line);
    program_free(&p);
}

const char *compiled_dir(void)
{
    return dir;
}

const char *compiled_path(const char *name)
{
    static char path[4][128];
    static unsigned next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

void compiled_text(const char *path, uint64_t *from, uint64_t *to)
{
    size_t names = 0;
    int fd = open(path, O_RDONLY);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    assert_non_null(elf);
    *from = *to = 0;
    assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr h;
        assert_non_null(gelf_getshdr(scn, &h));
        if (strcmp(elf_strptr(elf, names, h.sh_name), ".text") == 0) {
            *from = h.sh_addr;
            *to = h.sh_addr + h.sh_size;
        }
    }
    elf_end(elf);
    close(fd);
    assert_true(*to > *from);
}
