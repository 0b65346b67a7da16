// rooftop optimize judge on captured dispatches: each cheat of tests/data/judge/gpu/cheats is
// refused by the guard and with the words that its first line names, no honest candidate is
// refused. The metric is modelled, so verdicts are the same on every machine. (Forks: not for
// TSan.)
#include "support/gpu.h"
#include "support/scene.h"
#include "support/test.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA "tests/data/judge/gpu/"
#define BUILD                                                                                      \
    "--build '$CLANG -x hip --cuda-device-only --no-gpu-bundle-output --offload-arch=gfx942 "      \
    "-nogpulib -nogpuinc -O3 -Itests/platform/gpu/kernels {source} -o {out}'"
#define JUDGE                                                                                      \
    "$ROOFTOP judge --capture-dir $D/vector_add " BUILD " --baseline captured --candidate "

// Also makes the captures, once.
static bool skipped(void)
{
    static bool captured;
    const bool cannot = !*scene_clang() || !scene_has_vmem() || gpu_is_real();
    if (cannot)
        print_message("skipped: judge: it needs a clang for amdgcn, and the emulated gfx942 with "
                      "ROCm 6's runtime\n");
    if (!cannot && !captured) {
        expect(0, NULL,
               "$PLAIN capture --kernel vector_add --post -o $D/vector_add -- $APP vector_add");
        expect(0, NULL,
               "$PLAIN capture --kernel matmul_tiled --post -o $D/matmul_tiled -- $APP matmul");
        expect(0, NULL,
               "$PLAIN capture --kernel reduce_sum --post -o $D/reduce_sum -- $APP reduce");
        expect(0, NULL, "$PLAIN capture --kernel stencil7 --post -o $D/stencil7 -- $APP stencil");
        expect(0, NULL,
               "$PLAIN capture --kernel increment --post -o $D/increment -- $APP increment -O 1");
    }
    captured = true;
    return cannot;
}

struct gpu_case {
    char path[512], guard[64], words[128], options[256], settings[128], baseline[128];
};

// The first line: "// GUARD: WORDS". Behind it may stand "// options: WORDS", "// settings:
// NAME=VALUE" of the emulated GPU, "// baseline: FILE".
static void read_case(struct gpu_case *c)
{
    char line[256] = "";
    FILE *f = fopen(c->path, "re");
    assert_non_null(f);
    c->guard[0] = c->words[0] = c->options[0] = c->settings[0] = '\0';
    snprintf(c->baseline, sizeof c->baseline, "captured");
    if (fgets(line, sizeof line, f))
        sscanf(line, "// %63[a-z-]: %127[^\n]", c->guard, c->words);
    while (fgets(line, sizeof line, f) && strncmp(line, "// ", 3) == 0) {
        sscanf(line, "// options: %255[^\n]", c->options);
        sscanf(line, "// settings: %127[^\n]", c->settings);
        sscanf(line, "// baseline: %127[^\n]", c->baseline);
    }
    fclose(f);
}

static const char *kernel_of(const struct gpu_case *c)
{
    static const char *const names[] = {"matmul_tiled", "reduce_sum", "stencil7"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct program p;
        scene_run(&p, "grep -q '%s(' %s", names[i], c->path);
        const bool found = p.status == 0;
        program_free(&p);
        if (found)
            return names[i];
    }
    return "vector_add";
}

static void judge_case(struct gpu_case *c, struct program *p)
{
    read_case(c);
    scene_run(p, "%s $ROOFTOP judge --capture-dir $D/%s " BUILD " --baseline %s --candidate %s %s",
              c->settings, kernel_of(c), c->baseline, c->path, c->options);
}

static void cheat_is_refused(struct gpu_case *c)
{
    char wanted[256];
    struct program p;
    judge_case(c, &p);
    snprintf(wanted, sizeof wanted, "\nrefused: %s: ", c->guard);
    const char *at = strstr(p.out, wanted);
    if (p.status != 9 || !at || !*c->words || !strstr(at, c->words))
        gpu_fail(__FILE__, __LINE__, "%s: exit %d, wanted%s%s\n%s%s", c->path, p.status, wanted + 1,
                 c->words, p.out, p.err);
    program_free(&p);
}

static void honest_is_heard(struct gpu_case *c)
{
    struct program p;
    judge_case(c, &p);
    if ((p.status != 0 && p.status != 9) || strstr(p.out, "refused") ||
        !strstr(p.out, "each answer compared"))
        gpu_fail(__FILE__, __LINE__, "%s: exit %d\n%s%s", c->path, p.status, p.out, p.err);
    program_free(&p);
}

static unsigned each_case(const char *folder, void (*fn)(struct gpu_case *c))
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        struct gpu_case c;
        if (!strstr(e->d_name, ".hip"))
            continue;
        snprintf(c.path, sizeof c.path, "%s/%.200s", folder, e->d_name);
        fn(&c);
        n++;
    }
    closedir(d);
    return n;
}

TEST(test_cheats)
{
    if (!skipped())
        assert_true(each_case(DATA "cheats", cheat_is_refused) >= 63);
}

// Kernels that are right have no races, whatever the order of waves.
TEST(test_races)
{
    static const char *const apps[] = {"reduce", "matmul", "histogram", "dynamic_lds", "stencil"};
    if (skipped())
        return;
    for (size_t i = 0; i < sizeof apps / sizeof *apps; i++)
        expect(0, NULL,
               "ROOFTOP_EMU_RACES=1 ROOFTOP_EMU_LOG=$D/races $APP %s && grep -q dispatch $D/races "
               "&& ! grep 'races in' $D/races",
               apps[i]);
}

// Their baseline is a source, too: by its tree, which libclang reads.
TEST(test_sources)
{
    struct program p;
    if (skipped())
        return;
    scene_run(&p, "$ROOFTOP judge --capture-dir $D/vector_add " BUILD " --baseline " DATA
                  "source/vector_add.hip --candidate " DATA "source/vector_add.hip");
    const bool reads = !strstr(p.out, "libclang: ");
    program_free(&p);
    if (!reads) {
        print_message("skipped: judge: sources: libclang is not installed\n");
        return;
    }
    assert_true(each_case(DATA "cheats/source", cheat_is_refused) >= 14);
    assert_true(each_case(DATA "honest/source", honest_is_heard) >= 6);
    expect(9, "sources not looked at: not both are sources", JUDGE DATA "honest/vectors.hip");
}

// What another engine did is not what the launch did. The judge launches two kernels, of which the
// candidate is the second.
TEST(test_floor)
{
    if (skipped())
        return;
    expect(9,
           "refused: floor: memory changed in 63 lines of 64 bytes, its instructions stored to 0",
           "ROOFTOP_EMU_UNCOUNTED=2 " JUDGE "captured");
    expect(9, "equivalent by a model", "ROOFTOP_EMU_UNCOUNTED=2 " JUDGE "captured --allow floor");
    expect(9, "\"work_not_counted\":\t\"\"", JUDGE "captured --format json");
    expect(3, "roofline.csv", JUDGE "captured --roofs README.md");
    expect(9, "least time by measured roofs: n/a, costs are modelled",
           JUDGE "captured --roofs tests/data/rocm/mi200_roofline.csv");
}

TEST(test_honest_ones)
{
    if (!skipped())
        assert_true(each_case(DATA "honest", honest_is_heard) >= 25);
}

// The model counts the same on every machine.
TEST(test_verdicts)
{
    if (skipped())
        return;
    expect(9, "\nequivalent by a model\n", JUDGE "captured");
    expect(9, "\nslower by a model\n", JUDGE DATA "honest/writes_twice.hip");
    expect(0, "\nfaster by a model: the baseline costs 1.",
           "$ROOFTOP judge --capture-dir $D/vector_add " BUILD
           " --candidate captured --baseline " DATA "honest/writes_twice.hip");
    expect(9, "refused: review: it is ",
           "$ROOFTOP judge --capture-dir $D/vector_add " BUILD
           " --candidate captured --baseline " DATA "slow.hip");
    expect(0, "faster by a model",
           "$ROOFTOP judge --capture-dir $D/vector_add " BUILD
           " --candidate captured --allow review "
           "--baseline " DATA "slow.hip");
}

// Whole numbers get fresh values only if a person says that they are inputs; without fresh values
// nobody is accepted.
TEST(test_whole_numbers)
{
#define INCREMENT "$ROOFTOP judge --capture-dir $D/increment --baseline captured --candidate "
    if (skipped())
        return;
    expect(9, "refused: blind: a kernel that holds the captured answer would pass",
           INCREMENT "captured");
    expect(9, "fresh values: argument 0, u32, as --vary says", INCREMENT "captured --vary 0=u32");
    expect(9, "no input got fresh values", INCREMENT "captured --vary none --allow blind");
    expect(9, "refused: output: ",
           INCREMENT "$ROOFTOP_GPU_KERNELS/wrong_increment.gfx942.O2.hsaco --vary 0=u32");
}

TEST(test_document)
{
    if (skipped())
        return;
    expect(9, "\"modelled\":\ttrue", JUDGE "captured --format json");
    expect(9, "\"metric\":\t\"modelled: instructions of waves", JUDGE "captured --format json");
    expect(9, "\"guard\":\t\"state\"", JUDGE DATA "cheats/cache.hip --format json");
}

TEST(test_mistakes)
{
    if (skipped())
        return;
    expect(2, "--candidate is missing",
           "$ROOFTOP judge --capture-dir $D/vector_add --baseline captured");
    expect(2, "exclude each other", JUDGE "captured --harness x");
    expect(3, "/nonesuch",
           "$ROOFTOP judge --capture-dir /nonesuch --baseline captured --candidate x");
    expect(3, "/nonesuch.hsaco", JUDGE "/nonesuch.hsaco");
    expect(3, "README.md", JUDGE "README.md");
    expect(2, "'u7' is no type", JUDGE "captured --vary 0=u7");
    expect(2, "the kernel has no such argument: z=f32", JUDGE "captured --vary z=f32");
    expect(2, "argument 3 does not point to captured memory", JUDGE "captured --vary 3=f32");
    expect(2, "there is no guard 'x'", JUDGE "captured --allow x");
    expect(3, "the baseline does not build",
           "$ROOFTOP judge --capture-dir $D/vector_add " BUILD
           " --candidate captured --baseline " DATA "cheats/no_code.hip");
    expect(3, "it does not leave the memory that was captured",
           "$ROOFTOP judge --capture-dir $D/vector_add " BUILD
           " --candidate captured --baseline " DATA "cheats/copies.hip");
    expect(10, "memory fault",
           "$ROOFTOP judge --capture-dir $D/vector_add " BUILD
           " --candidate captured --baseline " DATA "cheats/writes_far.hip");
}

TEST_MAIN(scene_begin, scene_end)
