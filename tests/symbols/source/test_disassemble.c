/* The code of a function with its source, from a program compiled here. Not for TSan: one
 * thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "support/code_made.h"
#include "support/program.h"
#include "support/skip.h"
#include "base/child.h"
#include "support/temp_folder.h"
#include "symbols/source/disassemble.h"
#include "symbols/source/source_text.h"
#include "symbols/symbols.h"
#include "support/test.h"

static const char source[] = "/* \x1b[31mred\x7f */\n"
                             "__attribute__((noinline)) int work(int x)\n"
                             "{\n"
                             "\tint s = 0;\n"
                             "    for (int i = 0; i < x; i++)\n"
                             "        s += i ^ (s << 1);\n"
                             "    return s;\n"
                             "}\n"
                             "int main(int argc, char **argv)\n"
                             "{\n"
                             "    return work(argc) + (argv == 0);\n"
                             "}\n";

static const char *in_dir(const char *name)
{
    static char path[4][128];
    static unsigned next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", temp_folder, name);
    return p;
}

static void shell(const char *command)
{
    char line[512];
    struct program p;
    snprintf(line, sizeof line, "cd %s && %s", temp_folder, command);
    program_run(&p, line);
    assert_int_equal(p.status, 0);
    program_free(&p);
}

FIXTURE(set_up)
{
    assert_int_equal(temp_folder_make(NULL), 0);
    FILE *f = fopen(in_dir("w.c"), "w");
    assert_non_null(f);
    fputs(source, f);
    assert_int_equal(fclose(f), 0);
    shell("cc -O1 -g w.c -o w && strip -o bare w");
}

/* The place of work(). */
static struct symbol_frame work_at(void)
{
    struct program p;
    char line[256];
    struct symbol_frame frame = {0};
    snprintf(line, sizeof line, "nm %s | sed -n 's/ T work$//p'", in_dir("w"));
    program_run(&p, line);
    struct symbols *s = symbols_new(0);
    struct symbol_file *f = symbols_file(s, in_dir("w"), NULL);
    assert_true(symbol_file_resolve(f, strtoull(p.out, NULL, 16), &frame, 1) == 1);
    program_free(&p);
    symbols_free(s);
    assert_true(frame.size > 8);
    return frame;
}

TEST(instructions_with_their_lines)
{
    struct disassembly *d;
    struct error err = ERROR_INIT;
    struct symbol_frame f = work_at();
    size_t with_line = 0, returns = 0;
    int rc = disassemble(in_dir("w"), f.address, f.size, &d, &err);
    if (rc != 0)
        print_message("%s\n", err.why);
    assert_int_equal(rc, 0);
    assert_true(d->n >= 5 && d->n < 64 && !d->cut && d->tool);
    assert_true(d->rows[0].address == f.address);
    for (size_t i = 0; i < d->n; i++) {
        assert_true(d->rows[i].address >= f.address && d->rows[i].address < f.address + f.size);
        assert_true(i == 0 || d->rows[i].address > d->rows[i - 1].address);
        assert_null(strpbrk(d->rows[i].text, "\t\n"));
        returns += strncmp(d->rows[i].text, "ret", 3) == 0;
        if (d->rows[i].line >= 3 && d->rows[i].line <= 8 && strstr(d->rows[i].file, "w.c"))
            with_line++;
    }
    assert_true(with_line * 2 > d->n); /* clang gives some instructions line 0 */
    assert_true(returns > 0);
    disassembly_free(d);
    /* without line tables */
    assert_int_equal(disassemble(in_dir("bare"), f.address, f.size, &d, &err), 0);
    assert_true(d->n >= 5 && d->rows[0].line == 0 && !d->rows[0].file);
    disassembly_free(d);
}

TEST(a_function_is_found_by_its_name)
{
    struct disassembly *d;
    struct error err = ERROR_INIT;
    struct symbol_frame f = work_at();
    assert_int_equal(disassemble_function(in_dir("w"), NULL, 0, "work", &d, &err), 0);
    assert_true(d->rows[0].address == f.address && d->n >= 5 && d->n < 64);
    disassembly_free(d);
    assert_true(disassemble_function(in_dir("w"), NULL, 0, "works", &d, &err) < 0);
    assert_null(d);
    assert_non_null(strstr(err.why, "called works"));
    assert_true(disassemble_function(in_dir("absent"), NULL, 0, "work", &d, &err) < 0);
    assert_true(disassemble_function(in_dir("w.c"), NULL, 0, "work", &d, &err) < 0);
    shell(
        "printf 'namespace n { __attribute__((noinline, used)) int f(int x) { return x + 7; } }\n'"
        " > n.cpp && c++ -O1 -c n.cpp -o n.o");
    assert_int_equal(disassemble_function(in_dir("n.o"), NULL, 0, "n::f", &d, &err), 0);
    assert_true(d->n >= 1);
    disassembly_free(d);
}

/* With -ffunction-sections each function begins at address 0 of a section of its own. */
TEST(functions_of_many_sections_are_told_apart)
{
    static const char *const names[] = {"add_up", "multiply", "divide"};
    struct disassembly *d;
    struct error err = ERROR_INIT;
    shell("printf 'long add_up(long a) { return a + 0x1111; }\n"
          "long multiply(long a) { return a ^ 0x2222; }\n"
          "long divide(long a) { return a & 0x3333; }\n' > s.c && "
          "cc -O1 -ffunction-sections -c s.c -o s.o");
    for (int i = 0; i < 3; i++) {
        char text[1024] = "", want[8];
        assert_int_equal(disassemble_function(in_dir("s.o"), NULL, 0, names[i], &d, &err), 0);
        for (size_t k = 0; k < d->n && strlen(text) < 900; k++)
            strncat(text, d->rows[k].text, 100);
        for (int other = 1; other <= 3; other++) {
            snprintf(want, sizeof want, "0x%d", 1111 * other);
            if ((strstr(text, want) != NULL) != (other == i + 1))
                fail_msg("%s: %s", names[i], text);
        }
        disassembly_free(d);
    }
}

static char *bytes_of(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    char *bytes = calloc(1, 1 << 20);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

/* A code object of a GPU, as a program registers it with rooftop_code. */
TEST(a_gpu_kernels_instructions)
{
    struct program p;
    struct disassembly *d = NULL;
    struct error err = ERROR_INIT;
    char line[1024];
    size_t size = 0, adds = 0;
    snprintf(line, sizeof line,
             "cd %s && echo '__kernel void other(__global int *x) { x[0] = 3; } __kernel void "
             "add_one(__global float *x) { x[__builtin_amdgcn_workitem_id_x()] += 1.0f; }' > k.cl "
             "&& clang -x cl -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -O2 -c k.cl -o k.o",
             temp_folder);
    program_run(&p, line);
    int status = p.status;
    program_free(&p);
    if (status != 0)
        skip_because("there is no clang that compiles for AMD's GPUs (apt-get install clang)");
    needs_disassembler(in_dir("k.o"));
    char *bytes = bytes_of(in_dir("k.o"), &size);
    assert_non_null(bytes);
    int rc = disassemble_function("k.o", bytes, size, "add_one", &d, &err);
    if (rc != 0)
        fail_msg("%s", err.why);
    for (size_t i = 0; i < d->n; i++) {
        adds += strncmp(d->rows[i].text, "v_add_f32", 9) == 0;
        assert_null(strstr(d->rows[i].text, ", 3"));
    }
    assert_int_equal(adds, 1);
    disassembly_free(d);
    /* an unknown name: the whole file */
    assert_int_equal(disassemble_function("k.o", bytes, size, "renamed", &d, &err), 0);
    assert_true(d->n > 5);
    disassembly_free(d);
    for (size_t i = 0; i < size; i += 7) /* damaged: some answer */
        bytes[i] ^= 0x5a;
    assert_true(disassemble_function("k.o", bytes, size, "add_one", &d, &err) < 0);
    free(bytes);
}

TEST(nothing_there_is_said)
{
    struct disassembly *d;
    struct error err = ERROR_INIT;
    assert_true(disassemble(in_dir("w"), 0x7000000000, 64, &d, &err) < 0);
    assert_null(d);
    assert_non_null(strstr(err.why, "no code"));
    assert_true(disassemble(in_dir("absent"), 0x1000, 64, &d, &err) < 0);
    assert_true(disassemble(in_dir("w.c"), 0x1000, UINT64_MAX, &d, &err) < 0);
}

TEST(without_a_disassembler)
{
    struct disassembly *d;
    struct error err = ERROR_INIT;
    char *path = strdup(env_get("PATH") ? env_get("PATH") : "/usr/bin:/bin");
    env_put("PATH", temp_folder);
    int rc = disassemble(in_dir("w"), 0x1000, 64, &d, &err);
    env_put("PATH", path);
    free(path);
    assert_true(rc < 0 && err.kind == ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.why, "llvm-objdump"));
    assert_non_null(strstr(err.help, "binutils"));
}

/* Disassemblers that hang, write without end, or write nonsense. */
TEST(a_disassembler_that_misbehaves)
{
    struct disassembly *d;
    char *text, *path = strdup(env_get("PATH") ? env_get("PATH") : "/usr/bin:/bin");
    char *const sleeper[] = {"/bin/sh", "-c", "sleep 1000 & sleep 1000", NULL};
    char *const writer[] = {"/bin/sh", "-c", "while :; do echo 0123456789abcdef; done", NULL};
    char *const absent[] = {"/nonexistent/program", NULL};
    char *const failing[] = {"/bin/sh", "-c", "echo $DEBUGINFOD_URLS$LC_ALL; exit 3", NULL};
    assert_int_equal(child_run(sleeper, 300000000u, 1000, &text), -110); /* ETIMEDOUT */
    free(text);
    assert_int_equal(child_run(writer, 60000000000u, 100000, &text), -27); /* EFBIG */
    assert_true(strlen(text) > 100000);
    free(text);
    assert_int_equal(child_run(absent, 1000000000u, 1000, &text), -2);
    free(text);
    env_put("DEBUGINFOD_URLS", "http://never.invalid");
    assert_int_equal(child_run(failing, 60000000000u, 1000, &text), 3);
    env_put("DEBUGINFOD_URLS", NULL);
    assert_string_equal(text, "C\n");
    free(text);
    shell("mkdir -p bin && printf '#!/bin/sh\\nprintf \"  1000:\\\\n 1001:\\\\t\\\\n zz\\\\n  "
          "1002:\\\\tnop\\\\n"
          "  1001:\\\\tback\\\\n  9999:\\\\tfar\\\\n 1003:\\\\ta\\\\033b\\\\n "
          "1004:\\\\tunfinished\"\\n' "
          ">bin/objdump && chmod +x bin/objdump");
    env_put("PATH", in_dir("bin"));
    int rc = disassemble(in_dir("w"), 0x1000, 16, &d, NULL);
    env_put("PATH", path);
    free(path);
    assert_int_equal(rc, 0);
    assert_int_equal(d->n, 2);
    assert_string_equal(d->rows[0].text, "nop");
    assert_string_equal(d->rows[1].text, "a b");
    disassembly_free(d);
}

TEST(lines_of_a_file)
{
    struct source_text *t;
    struct error err = ERROR_INIT;
    assert_int_equal(source_text_read(in_dir("w.c"), in_dir("w"), 2, 4, &t, &err), 0);
    assert_true(t->first == 2 && t->n == 3 && !t->newer);
    assert_string_equal(t->lines[0], "__attribute__((noinline)) int work(int x)");
    assert_string_equal(t->lines[2], "        int s = 0;");
    source_text_free(t);
    assert_int_equal(source_text_read(in_dir("w.c"), NULL, -5, 1000000, &t, &err), 0);
    assert_true(t->first == 1 && t->n == 12);
    assert_string_equal(t->lines[0], "/* [31mred */");
    source_text_free(t);
    shell("touch -d '+1 hour' w.c");
    assert_int_equal(source_text_read(in_dir("w.c"), in_dir("w"), 1, 1, &t, &err), 0);
    assert_true(t->newer);
    source_text_free(t);
}

TEST(a_file_that_cannot_be_shown)
{
    struct source_text *t;
    struct error err = ERROR_INIT;
    assert_true(source_text_read(in_dir("absent.c"), NULL, 1, 5, &t, &err) == -2 && !t);
    assert_true(source_text_read(temp_folder, NULL, 1, 5, &t, &err) < 0 && !t);
    assert_true(source_text_read(in_dir("w.c"), NULL, 500, 600, &t, &err) < 0 && !t);
    assert_string_equal(err.why, "it has no line 500");
    assert_true(source_text_read(in_dir("w.c"), NULL, 5, 4, &t, &err) < 0 && !t);
    shell("truncate -s 40M large.c && printf '%0600d\\n' 7 >wide.c && "
          "for i in $(seq 300); do printf '\\303\\244'; done >>wide.c");
    assert_true(source_text_read(in_dir("large.c"), NULL, 1, 5, &t, &err) < 0 && err.code == 27);
    assert_int_equal(source_text_read(in_dir("wide.c"), NULL, 1, 2, &t, &err), 0);
    assert_int_equal(strlen(t->lines[0]), SOURCE_COLUMNS_MAX - 1);
    assert_int_equal(strlen(t->lines[1]), SOURCE_COLUMNS_MAX - 2); /* not half a letter */
    source_text_free(t);
}

TEST_MAIN(set_up, temp_folder_remove)
