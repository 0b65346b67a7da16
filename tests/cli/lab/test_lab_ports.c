/* `rooftop lab ports`, as a user calls it: on a machine with counters and on one without. Forks:
 * not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "base/toolbox.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* Runs it; without counters the status is 6. */
static void run_ports(struct program *p, const char *shell)
{
    program_needed();
    program_run(p, shell);
    if (p->status != 0 && p->status != 6)
        fail_msg("%s: exit %d\n%s\n%s", shell, p->status, p->out, p->err);
}

static const cJSON *member(const cJSON *j, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);
    assert_non_null(v);
    return v;
}

/* In each format standard error says why nothing was counted, and nothing else. */
TEST(status_6_has_its_reason_on_standard_error)
{
    static const char *const formats[] = {"text", "csv", "json"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct program p;
        char shell[128];
        snprintf(shell, sizeof shell, "$BIN lab ports --for 0.2 --format %s", formats[i]);
        run_ports(&p, shell);
        if (p.status == 6)
            assert_non_null(strstr(p.err, "rooftop: lab ports: nothing was counted: "));
        else
            assert_string_equal(p.err, "");
        program_free(&p);
    }
}

/* The short answer says it, too. */
TEST(the_short_answer_says_what_was_counted)
{
    struct program p;
    run_ports(&p, "$BIN lab ports --for 0.2 --brief");
    program_sees(&p, p.status == 6 ? "nothing was counted: " : " were counted");
    assert_true(program_lines(p.out) <= 20);
    program_free(&p);
}

/* Each row has its events and source; each value that is missing has its reason. */
TEST(json_rows_have_events_source_and_reason)
{
    struct program p;
    const cJSON *row;
    size_t counted = 0;
    run_ports(&p, "$BIN lab ports --for 0.2 --format json");
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    assert_string_equal(member(doc, "schema")->valuestring, "rooftop.ports/1");
    assert_true(strlen(member(doc, "note")->valuestring) > 20);
    cJSON_ArrayForEach(row, member(doc, "pipes"))
    {
        const cJSON *value = member(row, "value"), *event;
        assert_true(strspn(member(row, "pipes")->valuestring, "DSC") > 0);
        assert_true(*member(row, "source")->valuestring);
        assert_true(cJSON_GetArraySize(member(row, "events")) > 0);
        cJSON_ArrayForEach(event, member(row, "events"))
        {
            assert_true(*member(event, "name")->valuestring);
        }
        if (cJSON_IsTrue(member(value, "valid")))
            counted++;
        else
            assert_true(*member(value, "why")->valuestring);
    }
    assert_int_equal(p.status, counted ? 0 : 6);
    cJSON_Delete(doc);
    program_free(&p);
}

TEST(text_and_csv_say_the_same_rows)
{
    struct program p;
    run_ports(&p, "$BIN lab ports --for 0.2 -p $$");
    program_sees(&p, "pipes and ports of ");
    program_sees(&p, "D: arithmetic and vectors");
    program_free(&p);
    run_ports(&p, "$BIN lab ports --for 0.2 --format csv | head -1");
    assert_string_equal(p.out, "pipes,id,label,value,unit,counted,why,events,source\n");
    program_free(&p);
}

/* What the command prints does not get into the document, and its own status is the answer where
 * something was counted. */
TEST(a_command_keeps_its_output_apart)
{
    struct program p;
    program_needed();
    program_run(&p, "$BIN lab ports --format csv -- sh -c 'echo noise; exit 7'");
    assert_true(p.status == 7 || p.status == 6);
    assert_null(strstr(p.out, "noise"));
    assert_non_null(strstr(p.err, "noise"));
    assert_int_equal(strncmp(p.out, "pipes,", 6), 0);
    program_free(&p);
    program_run(&p, "$BIN lab ports -- /not/there");
    assert_int_equal(p.status, 127);
    program_free(&p);
    program_run(&p, "$BIN lab ports -p 999999999");
    assert_int_not_equal(p.status, 0);
    assert_int_not_equal(p.status, 6);
    assert_true(*p.err);
    program_free(&p);
    program_run(&p, "$BIN lab ports --for 0.3 -- sleep 100");
    assert_true(p.status == 0 || p.status == 6);
    program_free(&p);
}

/* The box of the counters view can be opened alone, also where it has nothing to show. */
TEST(the_counters_view_takes_the_option)
{
    program_answers("$BIN --headless --ports --view counters -d 0.1", 0, "counters by section", "");
}

/* --- the hot loop --- */

static const char kernels[] =
    "void axpy(double *restrict y, const double *restrict x, double a, long n)\n"
    "{ for (long i = 0; i < n; i++) y[i] += a * x[i]; }\n"
    "double dot(const double *x, const double *y, long n)\n"
    "{ double s = 0; for (long i = 0; i < n; i++) s += x[i] * y[i]; return s; }\n"
    "void gemm(int n, double *c, const double *a, const double *b)\n"
    "{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double s = 0;\n"
    "  for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j]; c[i * n + j] = s; } }\n"
    "unsigned crc(const unsigned char *p, long n)\n"
    "{ unsigned c = ~0u; while (n--) { c ^= *p++; for (int k = 0; k < 8; k++)\n"
    "  c = c >> 1 ^ (0xedb88320u & -(c & 1)); } return ~c; }\n";

static void need_model(void)
{
    struct program p;
    program_needed();
    struct toolbox_tool tool;
    struct error err = ERROR_INIT;
    if (toolbox_find(TOOLBOX_LLVM_MCA, NULL, &tool, &err) != 0)
        skip_because("models of loops: %s: %s; %s", err.what, err.why, err.help);
    program_run(&p, "objdump --version && uname -m | grep -x x86_64");
    if (p.status != 0)
        skip_because("models of loops: objdump is not installed, or this is no x86-64");
    program_free(&p);
}

/* The same loop given to llvm-mca by hand: objdump's lines between the addresses. */
static double by_hand(const char *from, const char *to, const char *tool)
{
    struct program p;
    char line[1024];
    snprintf(line, sizeof line,
             "objdump -d --no-show-raw-insn k.o | sed -n '/<%s>:/,/^$/p' | awk -F'\t' "
             "'/^ *[0-9a-f]+:/ { a = $1; gsub(/[ :]/, \"\", a); n = length(a); "
             "while (n < 16) { a = \"0\" a; n++ } if (a >= \"%016lx\" && a <= \"%016lx\") { "
             "sub(/[<#].*/, \"\", $2); if ($2 ~ /^j/) sub(/ +/, \" 0x\", $2); print $2 } }' > l.s "
             "&& %s -mcpu=skylake -iterations=1000 "
             "l.s | sed -n 's/^Total Cycles: *//p'",
             getenv("KERNEL"), strtoul(from, NULL, 16), strtoul(to, NULL, 16), tool);
    char all[1200];
    snprintf(all, sizeof all, "cd %s && %s", temp_folder, line);
    program_expect(&p, all, 0);
    double cycles = strtod(p.out, NULL) / 1000;
    program_free(&p);
    return cycles;
}

TEST_WITH(the_model_is_what_llvm_mca_says_of_objdumps_lines, temp_folder_make, temp_folder_remove)
{
    static const char *const names[] = {"axpy", "dot", "gemm", "crc"};
    static const char *const ways[] = {"-O1", "-O2", "-O3 -march=haswell",
                                       "-O3 -march=skylake-avx512 -ffunction-sections"};
    char line[256];
    struct program p;
    need_model();
    temp_folder_put("k.c", kernels);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            setenv("KERNEL", names[i], 1);
            snprintf(line, sizeof line, "cd %s && cc %s -c k.c -o k.o", temp_folder, ways[w]);
            program_answers(line, 0, "", "");
            snprintf(line, sizeof line, "$BIN lab ports %s/k.o:%s --mcpu skylake --format json",
                     temp_folder, names[i]);
            program_expect(&p, line, 0);
            cJSON *doc = cJSON_Parse(p.out);
            assert_non_null(doc);
            const cJSON *model = member(doc, "model");
            double cycles =
                by_hand(member(doc, "from")->valuestring, member(doc, "to")->valuestring,
                        member(model, "tool")->valuestring);
            double ours = member(model, "cycles_per_iteration")->valuedouble;
            if (cycles <= 0 || ours < cycles - 1e-6 || ours > cycles + 1e-6)
                fail_msg("%s %s: %g, by hand %g\n%s", names[i], ways[w], ours, cycles, p.out);
            assert_true(cJSON_IsTrue(member(doc, "innermost")));
            cJSON_Delete(doc);
            program_free(&p);
        }
}

TEST_WITH(a_file_shows_its_hottest_function_and_a_loop_can_be_chosen, temp_folder_make,
          temp_folder_remove)
{
    char line[256];
    struct program p;
    need_model();
    temp_folder_put("k.c", kernels);
    snprintf(line, sizeof line, "cd %s && cc -O2 -c k.c -o k.o && $BIN lab ports k.o", temp_folder);
    program_expect(&p, line, 0);
    program_sees(&p, " in gemm of k.o");
    program_sees(&p, "samples    n/a: nothing ran");
    program_sees(&p, "uiCA");
    program_free(&p);
    snprintf(line, sizeof line, "cd %s && $BIN lab ports k.o:gemm --loop 1 --format csv",
             temp_folder);
    program_answers(line, 0, "loop,gemm,,", "");
    snprintf(line, sizeof line, "cd %s && mv k.o kernel.o && $BIN lab ports kernel.o:axpy",
             temp_folder);
    program_answers(line, 0, "predicted  ", "");
}

/* Lines that the model does not know stand where they are in the code. */
TEST_WITH(a_long_loop_is_shown_whole, temp_folder_make, temp_folder_remove)
{
    struct program p;
    char line[256];
    need_model();
    temp_folder_put("long.s",
                    ".globl f\n.type f,@function\nf:\n.rept 12000\naddq %rax,%rbx\n.endr\n"
                    "jnz f\nret\n.size f,.-f\n");
    snprintf(line, sizeof line, "cd %s && cc -c long.s -o long.o && $BIN lab ports long.o:f",
             temp_folder);
    program_run(&p, line);
    assert_int_equal(p.status, 6);
    program_sees(&p, "12001 instructions, more than the 2048 that are modelled");
    program_sees(&p, "0x8ca0                  n/a      n/a  jne 0 <f>");
    program_free(&p);
}

TEST_WITH(what_cannot_be_modelled_says_why, temp_folder_make, temp_folder_remove)
{
    static const struct {
        const char *line;
        int status;
        const char *says;
    } cases[] = {
        {"$BIN lab ports k.o:nothing", 3, "no function in it is called nothing"},
        {"$BIN lab ports k.o:plain", 3, "there is no loop in it"},
        {"$BIN lab ports absent.o", 3, "absent.o"},
        {"$BIN lab ports k.c", 3, "no ELF file"},
        {"$BIN lab ports /tmp", 3, "no ELF file"},
        {"$BIN lab ports k.o:spin --loop 7", 2, "has 1 loop"},
        {"$BIN lab ports k.o:spin --mcpu 'a b'", 2, "no name of a core"},
        {"$BIN lab ports k.o:spin k.o", 2, "one piece"},
        {"$BIN lab ports 1:spin -p 2", 2, "named already"},
        {"$BIN lab ports 999999999:spin", 4, "no such process"},
        {"$BIN lab ports 4294967297:spin", 4, "no process 4294967297"},
        {"$BIN lab ports 99999999999999999999:spin", 4, "no process 99999999999999999999"},
    };
    char line[512];
    struct program p;
    need_model();
    temp_folder_put("k.c",
                    "int plain(int a) { return a + 1; }\n"
                    "long spin(long n) { long s = 3; while (n--) s = s * s + n; return s; }\n");
    snprintf(line, sizeof line, "cd %s && cc -O1 -c k.c -o k.o", temp_folder);
    program_answers(line, 0, "", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(line, sizeof line, "cd %s && %s", temp_folder, cases[i].line);
        program_run(&p, line);
        if (p.status != cases[i].status || !strstr(p.err, cases[i].says))
            fail_msg("%s: %d\n%s", cases[i].line, p.status, p.err);
        program_free(&p);
    }
    /* without the tool: the loop is shown, with the reason and what to install */
    snprintf(line, sizeof line,
             "cd %s && mkdir -p bin && ln -sf $(command -v objdump) bin/objdump && "
             "PATH=%s/bin $BIN lab ports k.o:spin",
             temp_folder, temp_folder);
    program_run(&p, line);
    assert_int_equal(p.status, 6);
    program_sees(&p, "loop 1 of 1 in spin");
    program_sees(&p, "model      n/a: llvm-mca: it is not installed");
    program_sees(&p, "imul");
    program_free(&p);
}

/* A program whose second loop takes the time: samples choose it, not the deeper first one. */
TEST_WITH(samples_choose_the_loop_that_runs, temp_folder_make, temp_folder_remove)
{
    char line[512];
    struct program p;
    need_model();
    temp_folder_put("s.c",
                    "#include <stdlib.h>\n"
                    "__attribute__((noinline)) long work(long n)\n"
                    "{ long s = 3; for (long i = 0; i < 3; i++) for (long k = 0; k < 3; k++)\n"
                    "  { s += i ^ k; __asm__ volatile(\"\" : \"+r\"(s)); }\n"
                    "  for (long i = 0; i < n; i++) { s = s * s + i; __asm__ volatile(\"\" : "
                    "\"+r\"(s)); } return s; }\n"
                    "int main(void) { long t = 0; for (int r = 0; r < 400; r++) t += "
                    "work(1000000); return t ? 5 : 6; }\n");
    snprintf(
        line, sizeof line,
        "cd %s && cc -O1 -fno-unroll-loops -fno-peel-loops s.c -o s && $BIN lab ports ./s:work "
        "--mcpu skylake --format json -- ./s",
        temp_folder);
    program_run(&p, line);
    cJSON *doc = cJSON_Parse(p.out);
    if (p.status != 5 || !doc)
        fail_msg("exit %d\n%s\n%s", p.status, p.out, p.err);
    double all = member(doc, "samples")->valuedouble,
           in = member(doc, "samples_in_loop")->valuedouble;
    if (all < 20)
        skip_because("the kernel samples nothing here");
    assert_true(in > 0.5 * all);
    /* a product and a sum that wait for each other: 3 + 1 cycles */
    assert_float_equal(member(member(doc, "model"), "cycles_per_iteration")->valuedouble, 4, 0.1);
    assert_non_null(member(doc, "counted"));
    cJSON_Delete(doc);
    program_free(&p);
}
