/* not for TSan: Many hosts in a real terminal: rows, and a host that gets the terminal for a while.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* In the place of ssh: runs what it is told here; with a terminal it says whose it is and waits for
 * a line, which is its status. */
static const char fake[] =
    "#!/bin/sh\n"
    "terminal=\n"
    "while [ \"$1\" != -- ]; do [ \"$1\" != -t ] || terminal=yes; shift; done\n"
    "host=$2; shift 2\n"
    "[ \"$host\" != bad ] || { echo 'Permission denied (publickey).' >&2; exit 255; }\n"
    "[ -n \"$terminal\" ] || exec \"$@\"\n"
    "echo $host >>\"$0.visits\"\n"
    "echo \"visit $(grep -c . \"$0.visits\") to $host\"; read status; exit \"$status\"\n";

static struct pty p;

static void expect(bool ok, const char *what)
{
    if (ok)
        return;
    print_message("%s\n", vt_text(p.vt));
    fail_msg("%s: state %d, status %#x", what, p.state, (unsigned)p.status);
}

TEST_WITH(enter_lends_the_terminal_to_a_host_and_takes_it_back, temp_folder_make,
          temp_folder_remove)
{
    char ssh[128], path[96];
    program_needed();
    temp_folder_put("ssh", fake);
    snprintf(path, sizeof path, "%s/ssh", temp_folder);
    chmod(path, 0700);
    snprintf(ssh, sizeof ssh, "ROOFTOP_SSH=%s", path);
    char *rooftop = realpath(program_rooftop(), NULL);
    const char *argv[] = {rooftop,          "--host", "alpha,beta,bad", "-d",        "0.5",
                          "--host-rooftop", rooftop,  "--run",          "sort name", NULL};
    const char *env[] = {PTY_XTERM, ssh, NULL};
    const struct pty_config c = {.argv = argv, .env = env, .cols = 120, .rows = 40};
    assert_int_equal(pty_start(&p, &c), 0);
    free(rooftop);
    expect(pty_until_text(&p, "3 hosts: 2 live, 1 lost"), "the states");
    expect(pty_until_text(&p, "Permission denied"), "the reason");
    pty_keys(&p, "g\r");
    expect(pty_until_text(&p, "visit 1 to alpha"), "the host has the terminal");
    expect(!vt_alternate(p.vt), "the terminal is as it was before");
    pty_keys(&p, "0\r");
    expect(pty_until_text(&p, "fleet: 3 hosts"), "the fleet is there again");
    pty_keys(&p, "\r");
    expect(pty_until_text(&p, "visit 2 to alpha"), "the host has it once more");
    pty_keys(&p, "3\r");
    expect(pty_until_text(&p, "ended with status 3"), "a failure is told");
    pty_keys(&p, "q");
    expect(pty_until_state(&p, PTY_GONE) && p.status == 0, "it ends");
    expect(pty_modes_restored(&p), "the terminal's modes are given back");
    pty_end(&p);
}
