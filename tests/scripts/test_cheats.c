/* scripts/cheats.py: of a few new cheats none gets through the judge, no honest candidate is
 * refused. What a cheat gains is no matter of the clock here. (It builds programs: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

TEST(a_few_of_them)
{
    struct program p;
#if !defined(__x86_64__) || defined(__SANITIZE_ADDRESS__)
    skip_because("here calls follow each other in the same memory");
#endif
    program_needed();
    program_run(&p, "command -v python3 >&2 || exit 77; "
                    "scripts/cheats.py $(dirname $BIN) --cheats 20 --honest 10 --jobs 2");
    if (p.status == 77) {
        program_free(&p);
        skip_because("there is no python3");
    }
    if (p.status != 0)
        fail_msg("exit %d\n%s%s", p.status, p.out, p.err);
    program_sees(&p, "cheats: 20 tried, 0 got through");
    program_sees(&p, "honest candidates: 10 tried, 0 refused");
    program_free(&p);
}
