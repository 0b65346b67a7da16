/* rooftop compare bench and history with a team's history on a real server. Forks: not for TSan. */
#include <stdlib.h>

#include "base/pq_library.h"
#include "support/postgres.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

FIXTURE_STATUS(begin)
{
    return temp_folder_make(NULL);
}

FIXTURE_STATUS(end)
{
    postgres_end();
    return temp_folder_remove(NULL);
}

/* A nightly job must not pass because the server is away; the others work on. The password of an
 * address is not printed. */
TEST_WITH(with_and_without_the_server, begin, end)
{
    program_needed();
    if (!pq_library())
        skip_because("a history on a server: libpq is not installed (Debian: libpq5)");
    postgres_start();
    program_answers(
        "export XDG_STATE_HOME=$D/state; $BIN compare --runs 5 --db "
        "\"$PG&password=secret\" -- true 2>&1 | tee told | grep 'kept in the history at' "
        "&& ! grep secret told && rm told",
        0, "/pg:5432/postgres", "");
    postgres_says(
        "SELECT count(*) || ' ' || min(name) FROM rooftop.point p JOIN rooftop.series s ON "
        "s.id = p.series",
        "1 true");
    program_answers("export XDG_STATE_HOME=$D/other ROOFTOP_HISTORY=\"$PG\"; "
                    "$BIN compare history --fail-on alarm",
                    0, "true on ", "");
    postgres_end();
    program_answers("export XDG_STATE_HOME=$D/other ROOFTOP_HISTORY=\"$PG\"; $BIN compare history",
                    0, "true on ", "read as of ");
    program_answers("export XDG_STATE_HOME=$D/other ROOFTOP_HISTORY=\"$PG\"; "
                    "$BIN compare --runs 5 -- true",
                    0, "median", "they wait on this machine");
    program_answers("export XDG_STATE_HOME=$D/other ROOFTOP_HISTORY=\"$PG\"; "
                    "$BIN compare history --fail-on alarm",
                    3, "", "what others added is not known");
    program_answers("export XDG_STATE_HOME=$D/new; $BIN compare history --db \"$PG\"", 3, "",
                    "/pg:5432/postgres: ");
}
