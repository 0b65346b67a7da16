/*
 * Programs compiled in several ways: every third byte of their code is resolved, and the answer
 * compared with that of addr2line -fi. Functions, files and lines must agree; the allowed kinds of
 * difference are counted, and explained at `explained`. Not for TSan: one thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "support/compiled.h"
#include "support/program.h"
#include "support/skip.h"
#include "symbols/symbols.h"
#include "support/test.h"

enum { FRAMES = 32, STEP = 7, SOURCE_LINES = 60 };

static const char cxx_program[] =
    "#include <algorithm>\n#include <map>\n#include <string>\n#include <vector>\n"
    "namespace grid {\n"
    "template <int N> struct lane {\n    double v[4];\n    double fold(double x) const\n    {\n"
    "        double s = N;\n        for (double y : v)\n            s += y * x;\n        return "
    "s;\n"
    "    }\n};\n"
    "class field {\n  public:\n    double sum(std::vector<double> &d) const;\n    int weight = "
    "2;\n};\n"
    "double field::sum(std::vector<double> &d) const\n{\n    lane<3> l{{1, 2, 3, 4}};\n"
    "    std::map<std::string, double> m;\n"
    "    std::sort(d.begin(), d.end(), [](double a, double b) { return a > b; });\n"
    "    for (double x : d)\n        m[std::to_string(x)] += l.fold(x) * weight;\n"
    "    return m.size() + m.begin()->second;\n}\n}\n"
    "int main(int argc, char **)\n{\n    std::vector<double> d(static_cast<unsigned>(argc) + 3, "
    "1.5);"
    "\n    return static_cast<int>(grid::field().sum(d));\n}\n";

/* The functions of the current program according to its symbols. */
static struct {
    uint64_t from, to;
} functions[4096];
static size_t nfunctions;

static bool in_symbol(uint64_t address)
{
    for (size_t i = 0; i < nfunctions; i++) {
        if (address >= functions[i].from && address < functions[i].to)
            return true;
    }
    return false;
}

static void read_functions(const char *path)
{
    char line[256], type[8];
    uint64_t from, size;
    struct program p;
    snprintf(line, sizeof line, "nm -S %s", path);
    program_run(&p, line);
    nfunctions = 0;
    for (const char *at = p.out; *at && nfunctions < 4096; at += strcspn(at, "\n") + 1) {
        if (sscanf(at, "%" SCNx64 " %" SCNx64 " %7s", &from, &size, type) == 3 &&
            strchr("tTwW", type[0]))
            functions[nfunctions].from = from, functions[nfunctions++].to = from + size;
    }
    program_free(&p);
    assert_true(nfunctions > 0);
}

/* --- addr2line's answers --- */

struct answer {
    char name[4096], file[256];
    int line;
};

/* Copies one line of output without its end; false at the end of the output. */
static bool next_line(const char **p, char *out, size_t size)
{
    size_t n = strcspn(*p, "\n");
    if (!**p)
        return false;
    snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), *p);
    *p += n + ((*p)[n] == '\n');
    return true;
}

/* The frames of one address; *p must be behind its "0x..." line. */
static size_t next_answer(const char **p, struct answer *out)
{
    size_t n = 0;
    char place[4096];
    while (**p && strncmp(*p, "0x", 2) != 0 && n < FRAMES) {
        struct answer *a = &out[n++];
        next_line(p, a->name, sizeof a->name);
        next_line(p, place, sizeof place);
        char *colon = strrchr(place, ':');
        char *more = strstr(place, " (discriminator");
        assert_non_null(colon);
        if (more)
            *more = '\0';
        colon = strrchr(place, ':');
        a->line = (int)strtol(colon + 1, NULL, 10);
        *colon = '\0';
        snprintf(a->file, sizeof a->file, "%.255s", place);
    }
    if (n == 1 && strcmp(out[0].name, "??") == 0)
        n = 0;
    return n;
}

/* A path may be spelled in two ways ("/tmp/x/../x/a.c"); the last component is compared. */
static bool same_place(const struct symbol_frame *f, const struct answer *a)
{
    const char *mine = f->file ? strrchr(f->file, '/') : NULL, *slash = strrchr(a->file, '/');
    mine = mine ? mine + 1 : f->file ? f->file : "??";
    /* GNU addr2line 2.40 takes the first row of a DWARF 5 table for the program's own file, which
     * has no such line */
    if (f->line == a->line && a->line > SOURCE_LINES && slash && strcmp(slash, "/b.cpp") == 0)
        return true;
    /* without a line, addr2line may still have a file's name from the symbol table */
    return f->line == a->line && (a->line == 0 || strcmp(mine, slash ? slash + 1 : a->file) == 0);
}

/* Demanglers use more or fewer blanks: "operator< <int>". */
static bool same_name(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b)
            return false;
        if (!*a++ || !*b++)
            return true;
    }
}

struct agreement {
    size_t asked, named, inlined, explained, differ;
};

/*
 * Both are read from the same debug information, and disagree in names only:
 * 1. Where an entry has no linkage name (the compiler leaves it out for what is local to a
 *    function), addr2line names the innermost frame after the symbol that holds the address, even
 *    where another function is inlined there; rooftop names what is inlined.
 * 2. For the function itself, rooftop then takes the symbol, which has namespace and parameters;
 *    addr2line's name has none.
 * 3. Between two functions lie bytes of neither: addr2line names the function before them, rooftop
 *    says nothing.
 */
static bool explained(const struct symbol_frame *f, size_t i, size_t n, const struct answer *a)
{
    char bare[4096];
    if (i == 0 && n > 1 && strcmp(a->name, f[n - 1].name) == 0)
        return true;
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(a->name, "<("), a->name);
    return i == n - 1 && strstr(f[i].name, bare) != NULL;
}

static void compare_one(const struct symbol_frame *f, size_t n, const struct answer *a, size_t m,
                        uint64_t address, struct agreement *sum)
{
    bool between = n == 0 && m == 1 && !in_symbol(address);
    bool differ = n != m && !between, odd = between;
    sum->asked++;
    sum->named += n > 0;
    sum->inlined += n > 1;
    for (size_t i = 0; i < n && !differ; i++) {
        bool same = same_name(f[i].name, a[i].name);
        differ = !same_place(&f[i], &a[i]) || (!same && !explained(f, i, n, &a[i]));
        odd |= !same;
    }
    sum->differ += differ;
    sum->explained += !differ && odd;
    if (!differ || sum->differ > 5)
        return;
    print_message("at %" PRIx64 "\n", address);
    for (size_t i = 0; i < n; i++)
        print_message("  rooftop   %s %s:%d\n", f[i].name, f[i].file ? f[i].file : "??", f[i].line);
    for (size_t i = 0; i < m; i++)
        print_message("  addr2line %s %s:%d\n", a[i].name, a[i].file, a[i].line);
}

/* Asks addr2line about `reference` and rooftop about path: the same code, perhaps stripped. */
static struct agreement compare(const char *path, const char *reference, const char *tool)
{
    struct agreement sum = {0};
    static struct answer answers[FRAMES];
    struct symbol_frame frames[FRAMES];
    uint64_t from, to;
    char line[4096];
    struct program p;
    read_functions(reference);
    compiled_text(path, &from, &to);
    snprintf(line, sizeof line,
             "i=%" PRIu64 "; while [ $i -lt %" PRIu64 " ]; do printf '%%x\\n' $i; i=$((i+%d)); done"
             " | %s -afiCe %s",
             from, to, STEP, tool, reference);
    program_run(&p, line);
    assert_int_equal(p.status, 0);
    struct symbols *s = symbols_new(0);
    struct symbol_file *f = symbols_file(s, path, NULL);
    assert_non_null(f);
    const char *at = p.out;
    for (uint64_t a = from; a < to; a += STEP) {
        assert_true(next_line(&at, line, sizeof line));
        assert_int_equal(strtoull(line, NULL, 16), a);
        size_t m = next_answer(&at, answers);
        size_t n = symbol_file_resolve(f, a, frames, FRAMES);
        compare_one(frames, n, answers, m, a, &sum);
    }
    symbols_free(s);
    program_free(&p);
    print_message("%s: %zu addresses, %zu named, %zu inlined; %zu differ in ways explained, %zu "
                  "otherwise\n",
                  strrchr(path, '/') + 1, sum.asked, sum.named, sum.inlined, sum.explained,
                  sum.differ);
    return sum;
}

static void agree_with(const char *tool, const char *name, const char *command, bool inlined)
{
    char path[128];
    snprintf(path, sizeof path, "%s", compiled_path(name));
    assert_true(compiled_shell(command));
    struct agreement a = compare(path, path, tool);
    assert_int_equal(a.differ, 0);
    assert_true(a.named * 100 > a.asked * 60);
    assert_true(!inlined || a.inlined > 0);
}

/* clang puts addresses into a separate table (DWARF 5), which GNU addr2line 2.40 reads badly: it
 * drops inlined frames. So LLVM's addr2line is asked about what clang built. */
static const char *tool_of_cc(void)
{
    if (compiled_shell("! cc -dM -E -x c /dev/null | grep -q __clang__"))
        return "addr2line";
    if (!compiled_shell("llvm-addr2line --version >/dev/null"))
        skip_because("cc is clang and there is no llvm-addr2line (apt-get install llvm)");
    return "llvm-addr2line";
}

static void agree(const char *name, const char *command, bool inlined)
{
    agree_with(tool_of_cc(), name, command, inlined);
}

TEST(c_at_every_address)
{
    agree("pie5", "cc -O2 -g -gdwarf-5 -fPIE -pie a.c -o pie5", true);
    agree("fixed4", "cc -O2 -g -gdwarf-4 -fno-pie -no-pie a.c -o fixed4", true);
    agree_with("addr2line", "plain", "cc -O0 -g a.c -o plain", false);
    agree("liba.so", "cc -O2 -g -fPIC -shared a.c -o liba.so", true);
    agree("small.so", "cc -O2 -g -gz=zlib -fPIC -shared a.c -o small.so", true);
    agree("swept", "cc -O2 -g -ffunction-sections -Wl,--gc-sections,-e,main a.c -o swept", true);
}

TEST(cxx_at_every_address)
{
    agree("b2", "c++ -O2 -g b.cpp -o b2", true);
    agree("b4", "c++ -O1 -g -gdwarf-4 b.cpp -o b4", true);
    agree_with("addr2line", "b0", "c++ -O0 -g b.cpp -o b0", false);
}

TEST(what_clang_writes)
{
    if (!compiled_shell(
            "clang --version >/dev/null 2>&1 && llvm-addr2line --version >/dev/null 2>&1"))
        skip_because("there is no clang and llvm-addr2line (apt-get install clang llvm)");
    agree_with("llvm-addr2line", "c5", "clang -O2 -g -gdwarf-5 a.c -o c5", true);
    agree_with("llvm-addr2line", "c4", "clang -O2 -g -gdwarf-4 a.c -o c4", true);
    agree_with("llvm-addr2line", "cxx5", "clang++ -O2 -g -gdwarf-5 b.cpp -o cxx5", true);
}

/* --- separate debug information --- */

TEST(a_debug_file_by_name)
{
    char stripped[128];
    assert_true(
        compiled_shell("cc -O2 -g a.c -o whole && objcopy --only-keep-debug whole apart.debug && "
                       "objcopy -S --add-gnu-debuglink=apart.debug whole apart && "
                       "mkdir -p .debug && mv apart.debug .debug/"));
    snprintf(stripped, sizeof stripped, "%s", compiled_path("apart"));
    struct agreement a = compare(stripped, compiled_path("whole"), tool_of_cc());
    assert_int_equal(a.differ, 0);
    assert_true(a.inlined > 0);
    /* a debug file of another build is refused */
    assert_true(compiled_shell("sed -i 's/x \\* 7/x * 9/' a.c && cc -O2 -g a.c -o other && objcopy "
                               "--only-keep-debug other .debug/apart.debug"));
    compiled_write("a.c", compiled_c);
    struct symbols *s = symbols_new(0);
    struct symbol_file *f = symbols_file(s, stripped, NULL);
    uint64_t from, to;
    struct symbol_frame frame;
    compiled_text(stripped, &from, &to);
    for (uint64_t i = from; i < to; i++)
        assert_true(symbol_file_resolve(f, i, &frame, 1) == 0 || !frame.file);
    symbols_free(s);
}

/* The number of addresses that have a source file. */
static unsigned with_source(const char *path)
{
    struct symbols *s = symbols_new(0);
    struct symbol_file *f = symbols_file(s, path, NULL);
    struct symbol_frame frame;
    uint64_t from, to;
    unsigned n = 0;
    compiled_text(path, &from, &to);
    for (uint64_t i = from; i < to; i++)
        n += symbol_file_resolve(f, i, &frame, 1) > 0 && frame.file;
    symbols_free(s);
    return n;
}

/* Beside a program in /tmp, any user can put a debug file with the right build id and wrong
 * names. */
TEST(a_debug_file_of_another_user)
{
    char stripped[128], debug[128];
    assert_true(compiled_shell("cc -O2 -g a.c -o full && objcopy --only-keep-debug full else.debug "
                               "&& objcopy -S --add-gnu-debuglink=else.debug full else"));
    snprintf(stripped, sizeof stripped, "%s", compiled_path("else"));
    snprintf(debug, sizeof debug, "%s", compiled_path("else.debug"));
    assert_true(with_source(stripped) > 0);
    assert_int_equal(chmod(debug, 0646), 0);
    assert_int_equal(with_source(stripped), 0);
    assert_int_equal(chmod(debug, 0644), 0);
    assert_true(with_source(stripped) > 0);
    if (geteuid() != 0) {
        print_message("skipped: only root can make files of two users\n");
        skip();
    }
    assert_int_equal(chown(debug, 12345, 12345), 0);
    assert_int_equal(with_source(stripped), 0);
    assert_int_equal(chown(stripped, 12345, 12345), 0); /* the owner of the program may */
    assert_true(with_source(stripped) > 0);
    assert_int_equal(chown(debug, 0, 0), 0); /* root may */
    assert_true(with_source(stripped) > 0);
}

TEST(a_debug_file_by_build_id)
{
    char stripped[128];
    assert_true(compiled_shell(
        "cc -O2 -g -Wl,--build-id a.c -o id && id=$(readelf -n id | sed -n 's/.*Build ID: //p') && "
        "d=usr/lib/debug/.build-id/$(echo $id | cut -c1-2) && mkdir -p $d && "
        "objcopy --only-keep-debug id $d/$(echo $id | cut -c3-).debug && strip -o id-stripped id"));
    snprintf(stripped, sizeof stripped, "%s", compiled_path("id-stripped"));
    env_set_root(compiled_dir());
    struct agreement a = compare(stripped, compiled_path("id"), tool_of_cc());
    env_set_root(NULL);
    assert_int_equal(a.differ, 0);
    assert_true(a.inlined > 0);
}

/* Expects the name at the address that a symbol has in `reference`, asked of path. */
static void named_like(const char *path, const char *reference, const char *name)
{
    char line[256];
    struct program p;
    struct symbol_frame frame = {0};
    snprintf(line, sizeof line, "nm %s | sed -n 's/ [tT] %s$//p'", reference, name);
    program_run(&p, line);
    uint64_t address = strtoull(p.out, NULL, 16);
    program_free(&p);
    assert_true(address > 0);
    struct symbols *s = symbols_new(0);
    struct symbol_file *f = symbols_file(s, path, NULL);
    assert_int_equal(symbol_file_resolve(f, address + 1, &frame, 1), 1);
    assert_string_equal(frame.name, name);
    assert_true(frame.address == address && frame.size > 1 && !frame.inlined);
    symbols_free(s);
}

TEST(symbols_without_debug_information)
{
    char path[128], reference[128];
    assert_true(compiled_shell(
        "cc -O2 -fPIC -shared a.c -o n.so && strip -o ns.so n.so && cc -O2 a.c -o n"));
    snprintf(reference, sizeof reference, "%s", compiled_path("n.so"));
    snprintf(path, sizeof path, "%s", compiled_path("ns.so"));
    named_like(path, reference, "outer"); /* .dynsym */
    named_like(reference, reference, "rarely");
    if (!compiled_shell("xz --version >/dev/null 2>&1"))
        skip_because("there is no xz (apt-get install xz-utils)");
    assert_true(compiled_shell(
        "objcopy --only-keep-debug n mini && strip --strip-debug --keep-symbol=rarely "
        "mini && xz -k mini && objcopy -S --add-section .gnu_debugdata=mini.xz n m"));
    snprintf(reference, sizeof reference, "%s", compiled_path("n"));
    snprintf(path, sizeof path, "%s", compiled_path("m"));
    named_like(path, reference, "rarely");
}

TEST(stubs_of_the_linkage_table)
{
    struct program p;
    char line[256];
    assert_true(compiled_shell("cc -O2 -g a.c -o lazy -Wl,-z,lazy"));
    snprintf(line, sizeof line,
             "objdump -d %s | sed -n 's/^\\([0-9a-f]*\\) <\\([a-z_]*@plt\\)>:/\\1 \\2/p'",
             compiled_path("lazy"));
    program_run(&p, line);
    struct symbols *s = symbols_new(0);
    struct symbol_file *f = symbols_file(s, compiled_path("lazy"), NULL);
    size_t found = 0;
    const char *at = p.out;
    while (next_line(&at, line, sizeof line)) {
        char *name;
        struct symbol_frame frame;
        uint64_t address = strtoull(line, &name, 16);
        assert_int_equal(symbol_file_resolve(f, address + 2, &frame, 1), 1);
        assert_string_equal(frame.name, name + 1);
        found++;
    }
    assert_true(found >= 3);
    symbols_free(s);
    program_free(&p);
}

FIXTURE(set_up)
{
    compiled_new();
    compiled_write("b.cpp", cxx_program);
}

FIXTURE(tear_down)
{
    env_set_root(NULL);
    compiled_free();
}

TEST_MAIN(set_up, tear_down)
