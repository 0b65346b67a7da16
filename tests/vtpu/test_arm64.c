/*
 * The compiler's templates for arm64, run by QEMU's user emulation where this is another processor.
 * VTPU_ARM64_STREAMS says how many random streams (3,000; 100,000 take some minutes).
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

TEST(compiled_streams_are_what_the_interpreter_does)
{
    static const char build[] = "set -e; t=$(mktemp -d); trap 'rm -rf \"$t\"' EXIT\n"
                                "aarch64-linux-gnu-gcc -std=gnu17 -O1 -static -D_GNU_SOURCE "
                                "-DXXH_INLINE_ALL -idirafter /usr/include -Isrc "
                                "-o $t/run tests/vtpu/arm64.c src/vtpu/*.c "
                                "src/backends/lab/native.c src/base/arena.c src/base/error.c "
                                "src/base/hash_table.c src/base/text.c\n"
                                "timeout 50 qemu-aarch64 $t/run ${VTPU_ARM64_STREAMS:-3000}\n";
    struct program p;
    program_run(&p, "command -v qemu-aarch64 && command -v aarch64-linux-gnu-gcc && "
                    "test -e /usr/aarch64-linux-gnu/include/stdio.h");
    int missing = p.status;
    program_free(&p);
    if (missing)
        skip_because("needs qemu-aarch64 and aarch64-linux-gnu-gcc: apt-get install qemu-user "
                     "gcc-aarch64-linux-gnu libc6-dev-arm64-cross");
    program_run(&p, build);
    if (p.status)
        print_message("%s%s", p.out, p.err);
    assert_int_equal(p.status, 0);
    assert_string_equal(p.out, "equal\n");
    program_free(&p);
}
