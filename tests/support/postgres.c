#include "postgres.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "skip.h"
#include "temp_folder.h"
#include "test.h"

/* The server refuses to run as root: its package brings a user. */
static const char tools[] =
    "PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1); as=; "
    "if [ $(id -u) = 0 ]; then as='setpriv --reuid=postgres --regid=postgres --clear-groups'; fi; "
    "cd $D; ";

static int run_tool(const char *command)
{
    char line[1024];
    snprintf(line, sizeof line, "%s%s", tools, command);
    return system(line);
}

static void begin_postgres(const char *command, const char *what)
{
    if (run_tool(command) != 0) {
        run_tool("cat $D/made $D/pg/log >&2");
        fail_msg("%s", what);
    }
}

const char *postgres_start(void)
{
    static char address[128];
    if (run_tool("command -v initdb >/dev/null && { [ -z \"$as\" ] || id postgres >/dev/null; }") !=
        0)
        skip_because("a history on a server: PostgreSQL is not installed (Debian: postgresql)");
    snprintf(address, sizeof address, "postgresql:///postgres?host=%s/pg&user=postgres",
             temp_folder);
    setenv("PG", address, 1);
    begin_postgres("chmod 755 . && mkdir pg && { [ -z \"$as\" ] || chown postgres: pg; } && "
                   "$as initdb -D pg -U postgres -A trust -N >made 2>&1",
                   "initdb failed");
    postgres_again();
    return address;
}

void postgres_again(void)
{
    begin_postgres("$as pg_ctl -D pg -w -l pg/log -o \"-c listen_addresses='' -c fsync=off "
                   "-k $D/pg\" start >started 2>&1",
                   "the server did not start");
}

void postgres_end(void)
{
    run_tool("[ ! -e pg/postmaster.pid ] || $as pg_ctl -D pg -m immediate stop >stopped 2>&1");
}

void postgres_says(const char *sql, const char *expected)
{
    struct program p;
    setenv("SQL", sql, 1);
    program_run(&p, "psql -qAtX -v ON_ERROR_STOP=1 \"$PG\" -c \"$SQL\"");
    if (p.status != 0)
        fail_msg("%s: %s", sql, p.err);
    p.out[strcspn(p.out, "\n")] = '\0';
    if (expected && strcmp(p.out, expected) != 0)
        fail_msg("%s: %s, not %s", sql, p.out, expected);
    program_free(&p);
}
