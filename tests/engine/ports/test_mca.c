/* llvm-mca's prediction: loops whose cycles follow from a latency or a port, and bad output. Runs
 * the tool: not for TSan. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/watch.h"
#include "engine/ports/mca.h"
#include "support/skip.h"
#include "support/test.h"

enum { LINES = 16 };
static struct mca_line lines[LINES];

static size_t take(const char *const *texts)
{
    size_t n = 0;
    memset(lines, 0, sizeof lines);
    for (; texts[n]; n++)
        lines[n].text = texts[n];
    return n;
}

static void run(struct mca_model *m, const char *const *texts, const char *cpu)
{
    struct error err = ERROR_INIT;
    enum code_machine machine = strncmp(cpu, "neoverse", 8) ? MACHINE_X86_64 : MACHINE_ARM64;
    int rc = mca_run(lines, take(texts), machine, cpu, m, &err);
    if (rc != 0 && err.kind == ERROR_UNSUPPORTED)
        skip_because("%s: %s; %s", err.what, err.why, err.help);
    if (rc != 0)
        fail_msg("%s: %s", err.what, err.why);
    assert_string_equal(m->cpu, cpu);
}

/* Code as bytes gives what its lines give; what is no code is an error with its reason. */
TEST(code_in_memory_is_modelled)
{
    static const uint8_t imul[] = {0x48, 0x0f, 0xaf, 0xc0, 0x48, 0xff, 0xc9}, bad[] = {0x06, 0x06};
    struct mca_model m;
    struct error err = ERROR_INIT;
    int rc = mca_run_code(imul, sizeof imul, MACHINE_X86_64, "skylake", &m, &err);
    if (rc != 0 && err.kind == ERROR_UNSUPPORTED)
        skip_because("%s: %s; %s", err.what, err.why, err.help);
    assert_int_equal(rc, 0);
    assert_int_equal(m.instructions, 2);
    assert_true(m.cycles > 2.9 && m.cycles < 3.1);
    assert_true(mca_run_code(bad, sizeof bad, MACHINE_X86_64, "skylake", &m, &err) < 0);
    assert_true(*err.why);
    assert_true(mca_run_code(bad, 0, MACHINE_X86_64, "skylake", &m, &err) < 0);
    assert_true(*err.why);
}

/* Intel's optimization manual and Agner Fog's tables: imul 3 cycles, one a cycle; add 1, four a
 * cycle; addsd 4. */
TEST(latencies_and_ports_by_hand)
{
    static const struct {
        const char *texts[LINES], *cpu;
        double cycles;
        enum mca_bound bound;
        char pipe;
    } cases[] = {
        {{"imul %rax,%rax", "dec %rcx", "jne .L"}, "skylake", 3, MCA_BY_DEPENDENCIES, 0},
        {{"imul %rax,%rax", "imul %rax,%rax", "dec %rcx", "jne .L"},
         "skylake",
         6,
         MCA_BY_DEPENDENCIES,
         0},
        {{"addsd %xmm1,%xmm0", "dec %rcx", "jne .L"}, "skylake", 4, MCA_BY_DEPENDENCIES, 0},
        /* four products that do not wait for each other need the one port that multiplies */
        {{"imul %r8,%rax", "imul %r8,%rbx", "imul %r8,%rdx", "imul %r8,%rsi", "imul %r8,%rdi"},
         "skylake",
         5,
         MCA_BY_PORT,
         'D'},
        /* six loads: two ports */
        {{"mov (%rsi),%rax", "mov 8(%rsi),%rbx", "mov 16(%rsi),%rdx", "mov 24(%rsi),%r8",
          "mov 32(%rsi),%r9", "mov 40(%rsi),%r10"},
         "skylake",
         3,
         MCA_BY_PORT,
         'S'},
        {{"mul x0, x0, x1", "subs x2, x2, #1", "b.ne .L"},
         "neoverse-n2",
         2,
         MCA_BY_DEPENDENCIES,
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mca_model m;
        run(&m, cases[i].texts, cases[i].cpu);
        assert_float_equal(m.cycles, cases[i].cycles, 0.03 * cases[i].cycles);
        assert_int_equal(m.bound, cases[i].bound);
        if (cases[i].pipe)
            assert_int_equal(m.ports[m.busiest].pipe, cases[i].pipe);
        assert_int_equal(m.left_out, 0);
        assert_true(lines[0].latency >= 1 && lines[0].between > 0);
    }
}

/* One line that the tool does not know does not lose the others. */
TEST(unknown_lines_are_left_out)
{
    static const char *const texts[] = {"dec %rcx",    "frobnicate %eax", "imul %rax,%rax",
                                        "nonsense %x", "jne .L",          NULL};
    static const char *const nothing[] = {"frobnicate %eax", "nonsense", NULL};
    struct mca_model m;
    struct error err = ERROR_INIT;
    run(&m, texts, "skylake");
    assert_int_equal(m.left_out, 2);
    assert_int_equal(m.instructions, 3);
    assert_float_equal(m.cycles, 3, 0.1);
    assert_true(lines[0].known && !lines[1].known && lines[2].known && !lines[3].known);
    assert_float_equal(lines[2].latency, 3, 0);
    assert_true(mca_run(lines, take(nothing), MACHINE_X86_64, "skylake", &m, &err) < 0);
    assert_int_equal(err.kind, ERROR_INPUT);
}

TEST(what_is_missing_is_said)
{
    static const char *const texts[] = {"nop", NULL};
    struct mca_model m;
    struct error err = ERROR_INIT;
    const char *usual = getenv("PATH");
    char *path = strdup(usual ? usual : "/usr/bin:/bin");
    assert_true(mca_run(lines, take(texts), MACHINE_X86_64, "znver99", &m, &err) < 0);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_true(*err.help);
    assert_true(mca_run(lines, take(texts), MACHINE_X86_64, "a b;c", &m, &err) < 0);
    assert_int_equal(err.kind, ERROR_USAGE);
    setenv("PATH", "/not/there", 1);
    assert_true(mca_run(lines, take(texts), MACHINE_X86_64, "skylake", &m, &err) < 0);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.why, "not installed"));
    assert_non_null(strstr(err.help, "install"));
    setenv("PATH", path, 1);
    free(path);
}

TEST(output_that_is_no_model_is_refused)
{
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "null",
        "{\"CodeRegions\":[]}",
        "{\"CodeRegions\":[{\"SummaryView\":{}}]}",
        "{\"CodeRegions\":[{\"SummaryView\":{\"Iterations\":0,\"TotalCycles\":5}}]}",
        "{\"CodeRegions\":[{\"SummaryView\":{\"Iterations\":1e300,\"TotalCycles\":5}}]}",
        "{\"CodeRegions\":[{\"SummaryView\":{\"Iterations\":\"x\",\"TotalCycles\":-5}}]}"};
    struct mca_line one = {0}, *list = &one;
    struct mca_model m;
    struct error err = ERROR_INIT;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(mca_parse(bad[i], &list, 1, &m, &err) < 0);
    /* indexes outside of what there is, a resource without a name, names with control characters */
    static const char odd[] =
        "{\"CodeRegions\":[{\"SummaryView\":{\"Iterations\":10,\"TotalCycles\":40,\"TotaluOps\":30,"
        "\"DispatchWidth\":6,\"BlockRThroughput\":1,\"Instructions\":10},"
        "\"InstructionInfoView\":{\"InstructionList\":[{\"Instruction\":0,\"Latency\":4},"
        "{\"Instruction\":7,\"Latency\":9},{\"Instruction\":-1}]},"
        "\"ResourcePressureView\":{\"ResourcePressureInfo\":["
        "{\"InstructionIndex\":0,\"ResourceIndex\":0,\"ResourceUsage\":2},"
        "{\"InstructionIndex\":1,\"ResourceIndex\":0,\"ResourceUsage\":2},"
        "{\"InstructionIndex\":0,\"ResourceIndex\":99,\"ResourceUsage\":2}]}}],"
        "\"TargetInfo\":{\"CPUName\":\"zn\\u001b[31m\",\"Resources\":[\"P\\u001b0\",5,\"Q.\"]}}";
    assert_int_equal(mca_parse(odd, &list, 1, &m, &err), 0);
    assert_float_equal(m.cycles, 4, 1e-9);
    assert_float_equal(m.ports[0].cycles, 2, 1e-9);
    assert_string_equal(m.ports[0].name, "P0");
    assert_string_equal(m.cpu, "zn31m");
    assert_float_equal(one.latency, 4, 0);
    assert_int_equal(m.bound, MCA_BY_DEPENDENCIES);
}

TEST(ports_have_pipes)
{
    static const char *const s[] = {"Zn4AGU0",   "Zn4Load.1", "Zn3FPSt",     "SKLPort23",
                                    "SPRPort11", "ICXPort49", "N2UnitL01.0", "V2UnitD0"};
    static const char *const c[] = {"Zn4BRU1", "SKLPort6", "SPRPort06", "N2UnitB.0"};
    static const char *const d[] = {"Zn4ALU0",   "Zn4FP2",   "SKLPort0",  "SPRPort05",
                                    "SPRPort10", "N2UnitV0", "SKLDivider"};
    for (size_t i = 0; i < sizeof s / sizeof *s; i++)
        assert_int_equal(mca_pipe(s[i]), 'S');
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        assert_int_equal(mca_pipe(c[i]), 'C');
    for (size_t i = 0; i < sizeof d / sizeof *d; i++)
        assert_int_equal(mca_pipe(d[i]), 'D');
}

/* --- a tool that refuses everything but a nop, found first --- */

static char folder[] = "/tmp/rooftop-mca-XXXXXX";

static void put_tool(const char *version, const char *script)
{
    char path[64], search[4200];
    snprintf(path, sizeof path, "%s/llvm-mca-30", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "#!/bin/sh\n[ \"$1\" != --version ] || { echo '  LLVM version %s'; exit 0; }\n"
            "for f; do :; done\necho run >>%s/runs\n%s\n",
            version, folder, script);
    fclose(f);
    assert_int_equal(chmod(path, 0755), 0);
    const char *before = getenv("PATH");
    snprintf(search, sizeof search, "%s:%.4000s", folder, before ? before : "/usr/bin:/bin");
    setenv("PATH", search, 1);
}

static size_t count_runs(void)
{
    char path[64];
    size_t n = 0;
    snprintf(path, sizeof path, "%s/runs", folder);
    FILE *f = fopen(path, "r");
    for (int c; f && (c = fgetc(f)) != EOF;)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

/* A clock that is seven seconds later after each run, however slow the machine is. */
static uint64_t later(void *ctx)
{
    (void)ctx;
    return 1 + count_runs() * UINT64_C(7000000000);
}

static bool until_run(void *ctx)
{
    char path[64];
    (void)ctx;
    snprintf(path, sizeof path, "%s/runs", folder);
    return access(path, F_OK) != 0;
}

static const char *const refused[] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                      "i", "j", "k", "l", "m", "n", "o", NULL};

TEST(all_runs_together_have_an_end)
{
    struct mca_model m;
    struct error err = ERROR_INIT;
    assert_non_null(mkdtemp(folder));
    put_tool("30.1.0", "grep -qx nop \"$f\"");
    env_set_clock(later, NULL);
    int rc = mca_run(lines, take(refused), MACHINE_X86_64, "znver4", &m, &err);
    env_set_clock(NULL, NULL);
    assert_int_equal(rc, -ETIMEDOUT);
    assert_non_null(strstr(err.why, "it took longer than 60 seconds"));
    assert_int_equal(count_runs(), 9);
    char path[64];
    snprintf(path, sizeof path, "%s/runs", folder);
    assert_int_equal(unlink(path), 0);
}

/* A tool that would run for a minute is killed. */
TEST(it_ends_where_it_is_given_up)
{
    const struct watch until = {until_run, NULL}, *before = watch_set(&until);
    struct mca_model m;
    struct error err = ERROR_INIT;
    put_tool("30.1.0", "exec sleep 60");
    int rc = mca_run(lines, take(refused), MACHINE_X86_64, "znver4", &m, &err);
    watch_set(before);
    assert_int_equal(rc, -ECANCELED);
    assert_string_equal(err.why, "it was given up");
    assert_int_equal(count_runs(), 1);
    char path[64];
    snprintf(path, sizeof path, "%s/runs", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/llvm-mca-30", folder);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

/* LLVM 14's has other latencies, and leaves out lines that it does not know: it is not run. */
TEST(one_too_old_is_refused)
{
    struct mca_model m;
    struct error err = ERROR_INIT;
    const char *usual = getenv("PATH");
    char *path = strdup(usual ? usual : "/usr/bin:/bin");
    snprintf(folder, sizeof folder, "/tmp/rooftop-mca-XXXXXX");
    assert_non_null(mkdtemp(folder));
    put_tool("14.0.6", "echo '{}'");
    setenv("PATH", folder, 1);
    assert_true(mca_run(lines, take(refused), MACHINE_X86_64, "skylake", &m, &err) < 0);
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.why, "llvm-mca-30 (LLVM 14.0.6) is too old: versions before 19 "));
    assert_non_null(strstr(err.help, "apt-get install llvm-19"));
    assert_int_equal(count_runs(), 0);
    char tool[64];
    snprintf(tool, sizeof tool, "%s/llvm-mca-30", folder);
    assert_int_equal(unlink(tool), 0);
    assert_int_equal(rmdir(folder), 0);
}
