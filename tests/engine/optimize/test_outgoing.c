/* Of what compilers and programs say only what is about the candidate goes out. */
#include <stdio.h>

#include "engine/optimize/optimize_impl.h"
#include "support/test.h"

TEST(messages_are_about_the_candidate)
{
    static const struct {
        const char *said, *kept;
    } rows[] = {
        {"", ""},
        /* GCC 12 */
        {"a.c.optimize/0001/a.c: In function 'f':\n"
         "a.c.optimize/0001/a.c:2:13: error: expected ';' before numeric constant\n"
         "    2 | daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
         "      |             ^~\n",
         "a.c: In function 'f':\na.c:2:13: error: expected ';' before numeric constant\n"},
        {"/etc/passwd:2:13: error: expected ';' before numeric constant\n"
         "    2 | daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n",
         ""},
        /* clang 14 quotes without a margin */
        {"/x/a.c:3:5: error: expected expression\ndaemon:x:1:1\n    ^\n1 error generated.\n",
         "a.c:3:5: error: expected expression\n"},
        /* nvcc, and the end of the output cut off */
        {"a.c(7): error: expected a \";\"\nroot(1): x", "a.c(7): error: expected a \";\"\n"},
        {"/x/a.c:1:2: error: one", "a.c:1:2: error: one"},
        /* GNU ld and lld */
        {"/usr/bin/ld: /tmp/ccA.o: in function `f':\n"
         "a.c:(.text+0x5): undefined reference to `g'\ncollect2: error: ld returned 1\n",
         "a.c:(.text+0x5): undefined reference to `g'\n"},
        {"/usr/bin/ld: /tmp/ccA.o: undefined reference to `g' in /home/u/s\n",
         "undefined reference to `g'\n"},
        {"ld.lld: error: undefined symbol: g\n>>> referenced by /home/u\n",
         "undefined symbol: g\n"},
        /* an assembler that was led to another file */
        {"/etc/passwd:1: Error: no such instruction: `root:x:0:0:root:/root:/bin/bash'\n"
         "{standard input}:4: Error: no such instruction: `daemon'\n",
         ""},
        {"/x/ba.c:3:5: error: another\nxa.c:3: error: another\n", ""},
        {"/home/u/own.h:3:5: note: declared here\n", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s", rows[i].said);
        outgoing_messages(text, "a.c.optimize/0001/a.c");
        assert_string_equal(text, rows[i].kept);
    }
}

TEST(a_program_has_no_word_in_it)
{
    char said[] = "its check fails with status 1: root:x:0:0", none[] = "it ends by signal 11";
    outgoing_evidence(said);
    assert_string_equal(said, "its check fails with status 1");
    outgoing_evidence(none);
    assert_string_equal(none, "it ends by signal 11");
}
