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
#include "base/child.h"
#include "base/list.h"
#include "base/toolbox.h"
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
static void take_disassembly_line(struct disassembly_listing *l, const char *p, const char *end,
                                  uint64_t from, uint64_t to)
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

/* Code in a file. */
struct code_place {
    uint64_t address, size;
    /* The section to read in a relocatable file, where all sections begin at 0; "": every one. */
    char section[256];
};

static int run_tool(struct disassembly_listing *l, const char *tool, const char *path,
                    const struct code_place *at, uint64_t from, uint64_t to)
{
    char start[64], stop[64], section[sizeof at->section + 16], *text = NULL;
    snprintf(start, sizeof start, "--start-address=0x%" PRIx64, from);
    snprintf(stop, sizeof stop, "--stop-address=0x%" PRIx64, to);
    snprintf(section, sizeof section, "--section=%s", at->section);
    char *const argv[] = {(char *)tool,
                          "-d",
                          "-C",
                          "--no-show-raw-insn",
                          start,
                          stop,
                          *at->section ? section : (char *)path,
                          *at->section ? (char *)path : NULL,
                          NULL};
    int code = child_run(argv, timeout_ns, OUTPUT_MAX, &text);
    l->d.cut |= code == -EFBIG;
    for (const char *p = text, *line; p && (line = strchr(p, '\n')); p = line + 1)
        take_disassembly_line(l, p, line, from, to);
    free(text);
    return code == -EFBIG ? 0 : code;
}

static void add_source_lines(struct disassembly_listing *l, const char *path)
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
        return error_set(err, ERROR_UNSUPPORTED, ENOENT, toolbox_help(TOOLBOX_LLVM_OBJDUMP), path,
                         "no llvm-objdump is installed, which code for AMD's GPUs needs");
    return error_set(err, ERROR_UNSUPPORTED, ENOENT, toolbox_help(TOOLBOX_OBJDUMP), path,
                     "neither objdump nor llvm-objdump is installed");
}

/* Lists the tools that were tried, for people: "llvm-objdump-14 (LLVM 14.0.6), objdump". */
static void name_tools(const struct disassembler *tools, size_t n, char *out, size_t size)
{
    char version[64];
    size_t used = 0;
    for (size_t i = 0; i < n && used < size; i++) {
        toolbox_version(TOOLBOX_LLVM_OBJDUMP, tools[i].path, version, sizeof version);
        used += (size_t)snprintf(out + used, size - used, "%s%s%s%s%s", i ? ", " : "",
                                 tools[i].name, *version ? " (" : "", version, *version ? ")" : "");
    }
}

/* Explains why no tool could read the file. path: on disk; name: for people; code: the result of
 * the last tool. */
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
static int run_disassembler(const char *path, const char *name, const struct code_place *at,
                            struct disassembly **out, struct error *err)
{
    uint64_t address = at->address, size = at->size;
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
        code = run_tool(l, tools[i].path, file, at, address, to);
    }
    if (l->d.n == 0) {
        int rc =
            n ? fail_disassembly(code, tools, n, file, name, err) : not_installed(gpu, name, err);
        disassembly_free(&l->d);
        return rc;
    }
    add_source_lines(l, path);
    l->d.rows = l->rows;
    *out = &l->d;
    return 0;
}

int disassemble(const char *path, uint64_t address, uint64_t size, struct disassembly **out,
                struct error *err)
{
    return run_disassembler(path, path, &(struct code_place){address, size, ""}, out, err);
}

/* Whether name is the symbol itself or its demangled form: "f", "f(int)" for "_Z1fi". */
static bool is_symbol_called(const char *symbol, const char *name)
{
    char plain[1024];
    if (strcmp(symbol, name) == 0)
        return true;
    const char *read = demangle(symbol, plain, sizeof plain);
    size_t n = strlen(name);
    return strcmp(read, name) == 0 || (strncmp(read, name, n) == 0 && read[n] == '(');
}

/* Fills the place of a function's symbol; false: its section is not there. */
static bool place_object_symbol(Elf *elf, const GElf_Sym *symbol, struct code_place *at)
{
    GElf_Shdr head;
    size_t names;
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    if (symbol->st_shndx >= SHN_LORESERVE || !section || !gelf_getshdr(section, &head) ||
        !(head.sh_flags & SHF_EXECINSTR) || elf_getshdrstrndx(elf, &names) != 0 ||
        symbol->st_value >= head.sh_size)
        return false;
    const char *name = elf_strptr(elf, names, head.sh_name);
    uint64_t rest = head.sh_size - symbol->st_value;
    at->address = symbol->st_value;
    at->size = symbol->st_size && symbol->st_size < rest ? symbol->st_size : rest;
    snprintf(at->section, sizeof at->section, "%s", name ? name : "");
    return name && *name && strlen(name) < sizeof at->section;
}

/* Finds a function in a relocatable file: its address is one inside its section. */
static bool find_in_object(Elf *elf, const char *name, struct code_place *at)
{
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        GElf_Shdr head;
        GElf_Sym symbol;
        Elf_Data *data = elf_getdata(s, NULL);
        if (!gelf_getshdr(s, &head) || head.sh_type != SHT_SYMTAB || !head.sh_entsize || !data)
            continue;
        for (int i = 0; (size_t)i < data->d_size / head.sh_entsize; i++) {
            if (!gelf_getsym(data, i, &symbol) || GELF_ST_TYPE(symbol.st_info) > STT_FUNC)
                continue;
            const char *text = elf_strptr(elf, head.sh_link, symbol.st_name);
            if (text && is_symbol_called(text, name) && place_object_symbol(elf, &symbol, at))
                return true;
        }
    }
    return false;
}

/* Finds a function in an open file; false: not an ELF file, or no such function. */
static bool find_code_place(int fd, const char *name, struct code_place *at)
{
    bool found = false;
    struct elf_symbols t = {0};
    GElf_Ehdr head;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && gelf_getehdr(elf, &head) && head.e_type == ET_REL) {
        found = find_in_object(elf, name, at);
    } else if (elf && elf_kind(elf) == ELF_K_ELF) {
        elf_symbols_add(&t, elf, SHT_SYMTAB);
        elf_symbols_add(&t, elf, SHT_DYNSYM);
        elf_symbols_finish(&t);
    }
    for (size_t i = 0; i < t.n && !found; i++)
        if (is_symbol_called(t.rows[i].name, name)) {
            at->address = t.rows[i].address;
            at->size = t.rows[i].end - t.rows[i].address;
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
    int rc = run_disassembler(path, name, &(struct code_place){address, size, ""}, out, err);
    close(fd);
    return rc;
}

int disassemble_function(const char *path, const void *bytes, size_t size, const char *name,
                         struct disassembly **out, struct error *err)
{
    char own[64];
    struct code_place at = {.size = UINT64_MAX};
    int fd = bytes ? child_file(bytes, size, own) : open(path, O_RDONLY | O_CLOEXEC);
    *out = NULL;
    if (fd < 0)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    bool found = find_code_place(fd, name, &at);
    int rc;
    if (found || bytes)
        rc = run_disassembler(bytes ? own : path, path, &at, out, err);
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
