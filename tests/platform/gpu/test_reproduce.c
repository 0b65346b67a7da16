// From a capture to editable source: the folder that rooftop gpu reproduce makes is self-contained,
// builds the code object if there is a compiler for these GPUs, and the result replays like the
// program's.
#include "support/gpu.h"
#include "support/scene.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// $ISA is the GPU's.
static int begin(void **state)
{
    if (scene_begin(state))
        return -1;
    setenv("ISA", scene_has_vmem() ? "gfx942" : "gfx90a", 1);
    return 0;
}

static bool skipped(void)
{
    const bool none = !*scene_clang();
    if (none)
        print_message("skipped: reproduce: there is no clang for amdgcn here\n");
    else if (gpu_is_real())
        print_message("skipped: reproduce: its kernels are for the emulated GPUs\n");
    return none || gpu_is_real();
}

#define DEVICE                                                                                     \
    "-x hip --cuda-device-only --no-gpu-bundle-output --offload-arch=$ISA -nogpulib -nogpuinc"

// A project whose kernel needs a folder of headers and a definition, in $D/project, built with
// these flags to where a copy of the program ($D/app) loads its code from.
static void make_project(const char *flags)
{
    expect(0, NULL,
           "rm -rf $D/project $D/own && mkdir -p $D/project/src $D/project/include/lib $D/own && "
           "cd $D/project && "
           "echo '#include \"local.h\"\n#include <lib/device.h>\n"
           "KERNEL increment(uint *p, uint n, uint by) { uint i = global_x(); "
           "if (i < n) p[i] = p[i] * FACTOR + by * ONE; }' >src/steps.hip && "
           "echo '#include <lib/one.h>' >src/local.h && echo '#define ONE 1' >include/lib/one.h");
    expect(0, NULL,
           "cp tests/platform/gpu/kernels/device.h $D/project/include/lib/ && cd $D/project/src && "
           "$CLANG " DEVICE " -O2 -I../include '-DFACTOR=(1 + 2)' %s steps.hip "
           "-o $D/own/vector.$ISA.O2.hsaco",
           flags);
    expect(0, NULL,
           "sed \"s|ROOFTOP_GPU_KERNELS=[^ ]*|ROOFTOP_GPU_KERNELS=$D/own|\" $APP >$D/app && "
           "chmod +x $D/app");
}

static void capture_project(const char *folder, const char *more)
{
    expect(0, "captured",
           "rm -rf $D/%s; $PLAIN capture --kernel increment %s -o $D/%s -- $D/app "
           "increment -n 1",
           folder, more, folder);
}

static void write_commands(void)
{
    expect(
        0, NULL,
        "cat >$D/project/compile_commands.json <<END\n"
        "[{\"directory\": \"$D/project/src\", \"file\": \"other.cpp\", \"command\": \"c++ -c "
        "other.cpp\"},\n"
        " {\"directory\": \"$D/project/src\", \"file\": \"../src/steps.hip\",\n"
        "  \"command\": \"$CLANG -x hip --offload-arch=gfx1100 -nogpulib -nogpuinc -O2 -I "
        "../include "
        "\\\\\"-DFACTOR=(1 + 2)\\\\\" -MD -MF x.d -fPIC -c ../src/steps.hip -o steps.o\"}]\nEND");
}

// Its own folder, moved, with the project gone: builds, and where the runtime can replay, what it
// builds is verified.
static void stands_alone(const char *words)
{
    expect(0, NULL, "rm -rf $D/moved $D/gone && mv $D/project $D/gone && mv $D/rep $D/moved");
    expect(0, NULL, "make -s -C $D/moved && [ -s $D/moved/kernel.hsaco ]");
    if (scene_has_vmem())
        expect(0, words, "ROOFTOP=$ROOFTOP $D/moved/replay.sh --iterations 4");
}

TEST(test_by_line_tables_and_commands)
{
    if (skipped())
        skip();
    make_project("-gline-tables-only");
    write_commands();
    capture_project("lines", "--post");
    expect(0, "4 files",
           "$PLAIN reproduce --capture-dir $D/lines -o $D/rep "
           "--compile-commands $D/project/compile_commands.json");
    expect(0, NULL,
           "cd $D/rep && ls source/src/steps.hip source/src/local.h "
           "source/include/lib/device.h source/include/lib/one.h");
    expect(0, NULL,
           "grep -qx '\"-DFACTOR=(1 + 2)\"' $D/rep/flags.txt && "
           "! grep -E 'gfx1100|steps.o|x.d' $D/rep/flags.txt");
    stands_alone("Verify: equal");
    if (!scene_has_vmem())
        return;
    // what is edited is what runs
    expect(9, "DIFFERENT",
           "sed -i 's/+ by/- by/' $D/moved/source/src/steps.hip && "
           "ROOFTOP=$ROOFTOP $D/moved/replay.sh");
    expect(0, "round 1: built",
           "cd $D/moved && sed -i 's/- by/+ by/' source/src/steps.hip && $ROOFTOP replay edit "
           "--capture-dir capture --source source/src/steps.hip --build "
           "'make -s && cp kernel.hsaco {out}' --once");
}

// clang keeps its own command line, where it is asked to.
TEST(test_by_the_recorded_command)
{
    if (skipped())
        skip();
    make_project("-gline-tables-only -grecord-command-line");
    capture_project("recorded", "--post");
    expect(0, "steps.hip", "$PLAIN reproduce --capture-dir $D/recorded -o $D/rep");
    expect(0, NULL, "! grep 'no command is known' $D/rep/README.md");
    stands_alone("Verify: equal");
}

// No line tables: by name among the files of the project, or as the user says.
TEST(test_without_line_tables)
{
    if (skipped())
        skip();
    make_project("-g0");
    write_commands();
    capture_project("plain", ""); // and no memory after it
    expect(6, "--source FILE", "$PLAIN reproduce --capture-dir $D/plain -o $D/rep");
    expect(1, NULL, "ls -d $D/rep* 2>/dev/null | grep .");
    expect(0, "was found by the kernel's name",
           "$PLAIN reproduce --capture-dir $D/plain -o $D/rep --compile-commands "
           "$D/project/compile_commands.json");
    expect(0, NULL, "rm -r $D/rep");
    expect(0, "\"found_by\":\t\"option\"",
           "cd $D && $PLAIN reproduce --capture-dir plain -o rep --format json --source "
           "project/src/steps.hip --compile-commands project/compile_commands.json");
    stands_alone("Output of kernel.hsaco, as the first: equal");
}

// A cache as Triton keeps it, of a kernel that clang made: found by its bytes.
TEST(test_of_triton)
{
    if (skipped())
        skip();
    make_project("-g0");
    expect(0, NULL,
           "cd $D/project/src && mkdir -p $D/cache/OTHER $D/cache/HASH && "
           "$CLANG " DEVICE " -O2 -I../include '-DFACTOR=(1 + 2)' -S steps.hip -o "
           "$D/cache/HASH/steps.amdgcn && echo other >$D/cache/OTHER/steps.hsaco && "
           "cp $D/own/vector.$ISA.O2.hsaco $D/cache/HASH/steps.hsaco && "
           "echo '{\"name\": \"increment\", \"num_warps\": 4}' >$D/cache/HASH/steps.json && "
           "echo 'def increment(): pass' >$D/project/steps.py && "
           "echo \"#loc = loc(\\\"$D/project/steps.py\\\":1:0)\" >$D/cache/HASH/steps.ttir");
    capture_project("triton", "--post");
    expect(0, "steps.amdgcn",
           "TRITON_CACHE_DIR=$D/cache $PLAIN reproduce --capture-dir $D/triton -o $D/rep");
    expect(0, NULL,
           "cd $D/rep && grep -q increment source/steps.py && grep -q num_warps triton/steps.json");
    setenv("COMPILER", scene_clang(), 1); // of ROCm, where that is there
    stands_alone("Verify: equal");
    unsetenv("COMPILER");
}

// What would run under rocprofv3; a script replaces it.
TEST(test_profiling)
{
    if (skipped())
        skip();
    make_project("-gline-tables-only -grecord-command-line");
    capture_project("profiled", "");
    expect(0, NULL,
           "$PLAIN reproduce --capture-dir $D/profiled -o $D/profile && cd $D/profile && "
           "printf '#!/bin/sh\\necho under: \"$@\"\\nwhile [ $1 != -- ]; do shift; done; "
           "shift; exec \"$@\"\\n' >$D/rocprofv3 && chmod +x $D/rocprofv3");
    if (!scene_has_vmem()) {
        expect(6, "under: --pmc SQ_WAVES -d profile --",
               "ROOFTOP=$ROOFTOP ROCPROFV3=$D/rocprofv3 $D/profile/profile.sh --pmc SQ_WAVES");
        return;
    }
    expect(0, "under: --kernel-trace -d profile --",
           "ROOFTOP=$ROOFTOP ROCPROFV3=$D/rocprofv3 $D/profile/profile.sh");
    expect(
        0, "Kernel: increment (kernel.hsaco)",
        "make -s -C $D/profile && ROOFTOP=$ROOFTOP ROCPROFV3=$D/rocprofv3 $D/profile/profile.sh");
}

TEST(test_what_cannot_be)
{
    if (skipped())
        skip();
    make_project("-gline-tables-only");
    capture_project("bad", "");
    expect(2, "-o: which folder", "$PLAIN reproduce --capture-dir $D/bad");
    expect(2, "which capture?", "$PLAIN reproduce -o $D/rep");
    expect(3, "nosuch.hip", "$PLAIN reproduce --capture-dir $D/bad -o $D/rep --source nosuch.hip");
    expect(3, "nosuch.json",
           "$PLAIN reproduce --capture-dir $D/bad -o $D/rep --compile-commands nosuch.json");
    expect(3, "not a list of commands",
           "echo '{}' >$D/c.json; $PLAIN reproduce --capture-dir $D/bad -o $D/rep "
           "--compile-commands $D/c.json");
    expect(7, "not empty",
           "mkdir -p $D/full && touch $D/full/mine && $PLAIN reproduce "
           "--capture-dir $D/bad -o $D/full; s=$?; ls $D/full/mine || s=99; exit $s");
    expect(7, "/nowhere/rep", "$PLAIN reproduce --capture-dir $D/bad -o $D/nowhere/rep");
    expect(3, "steps.hip: the captured code object is compiled from it, and it is not here",
           "mv $D/project $D/away; $PLAIN reproduce --capture-dir $D/bad -o $D/rep; s=$?; "
           "rm -r $D/away; exit $s");
    expect(3, NULL, "rm $D/bad/*/kernarg.bin; $PLAIN reproduce --capture-dir $D/bad -o $D/rep");
    expect(1, NULL, "ls -d $D/rep* $D/full.* 2>/dev/null | grep .");
}

TEST_MAIN(begin, scene_end)
