/*
 * Any text as what a disassembler wrote, and as what llvm-mca wrote: loops lie inside of the code,
 * and what is given to the assembler is one statement without a directive.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/ports/loops.h"
#include "engine/ports/mca.h"

enum { ROWS = 512 };

static void check_line(const char *text, enum code_machine machine)
{
    char out[LOOP_LINE_MAX];
    if (!loop_line(text, machine, out))
        return;
    if (*out < 'a' || *out > 'z' || strpbrk(out, ";\"\n\r=\\<>@|&'\t"))
        abort();
}

static void check_loops(const struct disassembly *d, enum code_machine machine)
{
    static struct code_loop loops[LOOPS_MAX];
    size_t n = loops_find(d, machine, loops);
    for (size_t i = 0; i < n; i++)
        if (loops[i].first > loops[i].last || loops[i].last >= d->n || loops[i].depth == 0)
            abort();
    if (n && loops_hottest(loops, n) >= n)
        abort(); /* the innermost of a nest has none inside */
}

static void check_model(const char *text)
{
    struct mca_line lines[4] = {0}, *list[4] = {&lines[0], &lines[1], &lines[2], &lines[3]};
    struct mca_model m;
    if (mca_parse(text, list, 4, &m, NULL) == 0 && m.nports > MCA_PORTS_MAX)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct disassembly_row rows[ROWS];
    struct disassembly d = {.rows = rows};
    char *text = calloc(size + 1, 1);
    memcpy(text, data, size);
    check_model(text);
    for (char *p = text; p < text + size && d.n < ROWS; p += strlen(p) + 1) {
        p[strcspn(p, "\n")] = '\0';
        check_line(p, MACHINE_X86_64);
        check_line(p, MACHINE_ARM64);
        rows[d.n] = (struct disassembly_row){.address = 0x10 + d.n * 4, .text = p};
        d.n++;
    }
    check_loops(&d, MACHINE_X86_64);
    check_loops(&d, MACHINE_ARM64);
    free(text);
    return 0;
}
