/* Files of CPU profilers, as a user opens, converts and compares them. */
#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

static int begin(void **state)
{
    const int rc = temp_folder_make(state);
    temp_folder_put("a.folded", "main;hot 700\nmain;warm 300\n");
    temp_folder_pack("b.folded", "main;hot 500\nmain;warm 500\n");
    return rc;
}

TEST_WITH(functions_of_a_file, begin, temp_folder_remove)
{
    program_answers("$BIN --headless $D/a.folded", 0, "1000 samples", "");
    program_answers("cat $D/b.folded | $BIN --headless --format json /dev/stdin", 0,
                    "\"weight\":\t\"samples\"", "");
    program_answers("$BIN --headless --format folded $D/a.folded", 0, "main;hot 700\n", "");
}

TEST_WITH(conversions_keep_the_sums, begin, temp_folder_remove)
{
    program_answers("for f in speedscope pprof; do $BIN --headless --format $f -o $D/x $D/a.folded "
                    "&& $BIN --headless --format folded $D/x; done | sort | uniq -c",
                    0, "2 main;warm 300", "");
}

TEST_WITH(two_files_are_compared, begin, temp_folder_remove)
{
    program_answers("$BIN compare $D/a.folded $D/b.folded", 0, "hot", "");
}

TEST_WITH(what_needs_calls_says_so, begin, temp_folder_remove)
{
    program_answers("$BIN tree $D/a.folded", 3, "", "it has samples of a CPU");
    program_answers("$BIN export $D/a.folded", 3, "", "rooftop --headless --format pprof");
}

TEST_MAIN(NULL, NULL)
