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
    /* the same program on two hosts: the hint is a command that works */
    postgres_says("WITH s AS (INSERT INTO rooftop.series(name, host, unit, more_is_good) VALUES"
                  "('true', 'aaa', 's', false) RETURNING id) INSERT INTO rooftop.point(series, "
                  "time_ns, value, tool, commit_id, cpu, kernel, governor, turbo, smt, microcode, "
                  "compiler, counters, ends, branch) SELECT id, n, 1, 'x', '', '', '', '', '', '', "
                  "'', '', '', '', '' FROM s, generate_series(1, 2) n",
                  NULL);
    program_answers("export XDG_STATE_HOME=$D/other ROOFTOP_HISTORY=\"$PG\"; "
                    "$BIN compare history --brief | sed -n 's/^next: rooftop/$BIN/p' | sh",
                    0, "true on aaa", "");
    postgres_end();
    program_answers("export XDG_STATE_HOME=$D/other ROOFTOP_HISTORY=\"$PG\"; $BIN compare history",
                    0, "true on ", "read as of ");
    program_answers("export XDG_STATE_HOME=$D/other ROOFTOP_HISTORY=\"$PG\"; "
                    "$BIN compare --runs 5 -- true",
                    0, "median", "they wait on this machine");
    program_answers("export XDG_STATE_HOME=$D/other ROOFTOP_HISTORY=\"$PG\"; "
                    "$BIN compare --runs 5 --no-store --format json -- true >one.json && "
                    "$BIN compare history --import one.json; rm one.json",
                    0, "", "they wait on this machine");
    program_answers("export XDG_STATE_HOME=$D/other ROOFTOP_HISTORY=\"$PG\"; "
                    "$BIN compare history --fail-on alarm",
                    3, "", "what others added is not known");
    program_answers("export XDG_STATE_HOME=$D/new; $BIN compare history --db \"$PG\"", 3, "",
                    "/pg:5432/postgres: ");
}
