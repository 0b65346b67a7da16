#include "symbols/source/disassemble.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/list.h"
#include "symbols/child.h"
#include "symbols/demangle/demangle.h"
#include "symbols/elf/elf_symbols.h"
#include "symbols/source/disassembler.h"
#include "symbols/symbols.h"

enum { ROWS_MAX = 1 << 17, TEXT_MAX = 512, OUTPUT_MAX = 32 << 20, INLINED_MAX = 64 };
static const uint64_t timeout_ns = 10000000000u;

struct disassembly_listing {
    struct disassembly d; /* first member: the caller frees it */
    struct disassembly_row *rows;
    size_t cap;
    struct arena arena;
    struct symbols *symbols; /* owns the names of source files */
};

/* Copies an instruction as one line; a run of tabs and blanks becomes one blank. */
static const char *clean_instruction(struct arena *a, const char *from, const char *end)
{
    char text[TEXT_MAX];
    size_t n = 0;
    for (const char *p = from; p < end && n + 1 < sizeof text; p++) {
        unsigned char c = (unsigned char)*p;
        bool blank = c <= ' ' || c == 0x7f;
        if (blank && (n == 0 || text[n - 1] == ' '))
            continue;
        text[n++] = blank ? ' ' : (char)c;
    }
    while (n && text[n - 1] == ' ')
        n--;
    return arena_strndup(a, text, n);
}

/* Parses an address, its colon, and sets what follows; false: there is none. */
static bool take_address(const char *p, const char *end, uint64_t *address, const char **behind)
{
    char *after;
    while (p < end && *p == ' ')
        p++;
    if (p >= end || !isxdigit((unsigned char)*p))
        return false;
    *address = strtoull(p, &after, 16);
    *behind = after + 1;
    return after < end && *after == ':';
}

/*
 * Takes "  401136:\tpush   %rbp" or, for AMD GPUs, "\ts_endpgm  // 00000000001C: BF810000". Other
 * lines name functions and sections.
 */
static void take_line(struct disassembly_listing *l, const char *p, const char *end, uint64_t from,
                      uint64_t to)
{
    uint64_t address;
    const char *encoding = NULL, *code = p,
               *mark = p < end && *p == '\t' ? memmem(p, (size_t)(end - p), "// ", 3) : NULL;
    if (mark && take_address(mark + 3, end, &address, &code)) {
        encoding = clean_instruction(&l->arena, code, end);
        code = p;
        end = mark;
    } else if (!take_address(p, end, &address, &code)) {
        return;
    }
    if (address < from || address >= to || (l->d.n && address <= l->rows[l->d.n - 1].address))
        return;
    const char *text = clean_instruction(&l->arena, code, end);
    if (!*text)
        return;
    if (l->d.n >= ROWS_MAX) {
        l->d.cut = true;
        return;
    }
    LIST_ROOM(l->rows, l->d.n, l->cap);
    l->rows[l->d.n++] =
        (struct disassembly_row){.address = address, .text = text, .encoding = encoding};
}

static int run_tool(struct disassembly_listing *l, const char *tool, const char *path,
                    uint64_t from, uint64_t to)
{
    char start[64], stop[64], *text = NULL;
    snprintf(start, sizeof start, "--start-address=0x%" PRIx64, from);
    snprintf(stop, sizeof stop, "--stop-address=0x%" PRIx64, to);
    char *const argv[] = {(char *)tool, "-d", "-C",         "--no-show-raw-insn",
                          start,        stop, (char *)path, NULL};
    int code = child_run(argv, timeout_ns, OUTPUT_MAX, &text);
    l->d.cut |= code == -EFBIG;
    for (const char *p = text, *line; p && (line = strchr(p, '\n')); p = line + 1)
        take_line(l, p, line, from, to);
    free(text);
    return code == -EFBIG ? 0 : code;
}

static void add_lines(struct disassembly_listing *l, const char *path)
{
    struct symbol_frame frames[INLINED_MAX];
    l->symbols = symbols_new(0);
    struct symbol_file *f = symbols_file(l->symbols, path, NULL);
    for (size_t i = 0; f && i < l->d.n; i++) {
        if (symbol_file_resolve(f, l->rows[i].address, frames, INLINED_MAX) == 0)
            continue;
        l->rows[i].file = frames[0].file;
        l->rows[i].line = frames[0].line;
    }
}

static int not_installed(bool gpu, const char *path, struct error *err)
{
    if (gpu)
        return error_set(err, ERROR_UNSUPPORTED, ENOENT,
                         "install LLVM (apt-get install llvm-19), or ROCm with its compiler", path,
                         "no llvm-objdump is installed, which code for AMD's GPUs needs");
    return error_set(err, ERROR_UNSUPPORTED, ENOENT, "install binutils or llvm", path,
                     "neither objdump nor llvm-objdump is installed");
}

/* Lists the tools that were tried, for people: "llvm-objdump-14 (LLVM 14.0.6), objdump". */
static void name_tools(const struct disassembler *tools, size_t n, char *out, size_t size)
{
    char version[64];
    size_t used = 0;
    for (size_t i = 0; i < n && used < size; i++) {
        disassembler_version(tools[i].path, version, sizeof version);
        used += (size_t)snprintf(out + used, size - used, "%s%s%s%s%s", i ? ", " : "",
                                 tools[i].name, *version ? " (" : "", version, *version ? ")" : "");
    }
}

/*
 * Explains why no tool could read the file. path: on disk; name: for people; code: the result of
 * the last tool.
 */
static int fail_disassembly(int code, const struct disassembler *tools, size_t n, const char *path,
                            const char *name, struct error *err)
{
    char tried[512] = "", processor[32];
    bool known = false, gpu = disassembler_processor(path, processor);
    for (size_t i = 0; i < n && !known && code > 0; i++)
        known = disassembler_knows(tools[i].path, path);
    name_tools(tools, n, tried, sizeof tried);
    if (code == -ETIMEDOUT)
        return error_set(err, ERROR_UNSUPPORTED, ETIMEDOUT, NULL, name,
                         "%s took longer than 10 seconds", tools[n - 1].name);
    if (code < 0)
        return error_set(err, ERROR_UNSUPPORTED, -code, NULL, name, "cannot run %s: %s",
                         tools[n - 1].name, strerror(-code));
    if (code > 0 && !known && gpu)
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP,
                         "install a newer LLVM (apt-get install llvm-19), or ROCm with its "
                         "compiler, and then this shows instructions",
                         name, "no disassembler here knows %s; tried: %s", processor, tried);
    return error_set(err, ERROR_INPUT, ENODATA, NULL, name, "%s find%s no code at this address",
                     tried, n > 1 ? "" : "s");
}

/* path: the file; name: for messages. */
static int run_disassembler(const char *path, const char *name, uint64_t address, uint64_t size,
                            struct disassembly **out, struct error *err)
{
    struct disassembler tools[DISASSEMBLERS_MAX];
    char file[PATH_MAX + 2];
    int code = 0;
    struct disassembly_listing *l = xcalloc(1, sizeof *l);
    *out = NULL;
    /* UINT64_MAX means everything, where the number of rows is the limit */
    l->d.cut = size > DISASSEMBLE_BYTES_MAX && size != UINT64_MAX;
    size = l->d.cut ? DISASSEMBLE_BYTES_MAX : size;
    uint64_t to = size < UINT64_MAX - address ? address + size : UINT64_MAX;
    snprintf(file, sizeof file, "%s%s", *path == '-' ? "./" : "", path);
    bool gpu = disassembler_is_gpu(path);
    size_t n = disassembler_list(gpu, tools, &l->arena);
    /* A tool may not know the machine that the file is for; the next one may. */
    for (size_t i = 0; l->d.n == 0 && i < n; i++) {
        l->d.tool = tools[i].name;
        code = run_tool(l, tools[i].path, file, address, to);
    }
    if (l->d.n == 0) {
        int rc =
            n ? fail_disassembly(code, tools, n, file, name, err) : not_installed(gpu, name, err);
        disassembly_free(&l->d);
        return rc;
    }
    add_lines(l, path);
    l->d.rows = l->rows;
    *out = &l->d;
    return 0;
}

int disassemble(const char *path, uint64_t address, uint64_t size, struct disassembly **out,
                struct error *err)
{
    return run_disassembler(path, path, address, size, out, err);
}

/* Whether name is the symbol itself or its demangled form: "f", "f(int)" for "_Z1fi". */
static bool is_called(const char *symbol, const char *name)
{
    char plain[1024];
    if (strcmp(symbol, name) == 0)
        return true;
    const char *read = demangle(symbol, plain, sizeof plain);
    size_t n = strlen(name);
    return strcmp(read, name) == 0 || (strncmp(read, name, n) == 0 && read[n] == '(');
}

/* Finds a function in an open file; false: not an ELF file, or no such function. */
static bool find_function(int fd, const char *name, uint64_t *address, uint64_t *size)
{
    bool found = false;
    struct elf_symbols t = {0};
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        elf_symbols_add(&t, elf, SHT_SYMTAB);
        elf_symbols_add(&t, elf, SHT_DYNSYM);
        elf_symbols_finish(&t);
    }
    for (size_t i = 0; i < t.n && !found; i++)
        if (is_called(t.rows[i].name, name)) {
            *address = t.rows[i].address;
            *size = t.rows[i].end - t.rows[i].address;
            found = true;
        }
    elf_symbols_free(&t);
    elf_end(elf);
    return found;
}

int disassemble_bytes(const char *name, const void *bytes, size_t n, uint64_t address,
                      uint64_t size, struct disassembly **out, struct error *err)
{
    char path[64];
    int fd = child_file(bytes, n, path);
    *out = NULL;
    if (fd < 0)
        return error_set(err, ERROR_INPUT, errno, NULL, name, "%s", strerror(errno));
    int rc = run_disassembler(path, name, address, size, out, err);
    close(fd);
    return rc;
}

int disassemble_function(const char *path, const void *bytes, size_t size, const char *name,
                         struct disassembly **out, struct error *err)
{
    char own[64];
    uint64_t address = 0, length = 0;
    int fd = bytes ? child_file(bytes, size, own) : open(path, O_RDONLY | O_CLOEXEC);
    *out = NULL;
    if (fd < 0)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    bool found = find_function(fd, name, &address, &length);
    int rc;
    if (found || bytes)
        rc = run_disassembler(bytes ? own : path, path, address, found ? length : UINT64_MAX, out,
                              err);
    else
        rc = error_set(err, ERROR_INPUT, ENOENT,
                       "give the kernel the name of its function, or register its code", path,
                       "no function in it is called %.100s", name);
    close(fd);
    return rc;
}

void disassembly_free(struct disassembly *d)
{
    struct disassembly_listing *l = (struct disassembly_listing *)d;
    if (!l)
        return;
    symbols_free(l->symbols);
    arena_free(&l->arena);
    free(l->rows);
    free(l);
}
