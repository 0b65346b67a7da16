/*
 * The kernel and the proposer of examples/optimize: a gain that is large is found, confirmed and
 * applied, whatever else the machine does. Forks: not for TSan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/libclang.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

FIXTURE_STATUS(begin)
{
    if (temp_folder_make(NULL) != 0)
        return -1;
    /* the judged objects are plain whatever this test is built with */
    setenv("CC", "cc", 1);
    return system("cp -r examples/optimize/. $D && cp $D/matmul/matmul.c $D/was.c");
}

static void need_gcc(void)
{
    program_needed();
    if (system("echo __clang__ | cc -E -P - | grep -q __clang__") != 0)
        skip_because("cc is clang, which uses vectors at -O2");
}

/*
 * What is said of the candidate. The source against itself, which stands before it, may be
 * equivalent, not decided, or by chance worse, which ends the loop before there is a candidate.
 */
static void has_gained_or_is_not_decided(const struct program *p)
{
    const char *candidate = strstr(p->out, "\"step\":\t\"candidate\"");
    if (!candidate)
        return;
    static const char *const wrong[] = {"refused", "slower", "equivalent"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char outcome[64];
        snprintf(outcome, sizeof outcome, "\"outcome\":\t\"%s\"", wrong[i]);
        if (strstr(candidate, outcome))
            fail_msg("%s in\n%s", outcome, p->out);
    }
}

/*
 * A factor of three is decided as soon as the judge has its least number of pairs. Where the
 * machine is so busy that it has not within the time, or that the source differs from itself, it
 * gets longer, four times in all.
 */
static void gains(const char *options)
{
    static const char *const each[] = {"0.5", "2", "6", "12"};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        char line[512];
        struct program p;
        snprintf(line, sizeof line,
                 "cd $D && rm -rf matmul.c.optimize by-python && $BIN optimize matmul/matmul.c "
                 "--harness "
                 "matmul/matmul.toml --no-store --each %s --apply --format json %s",
                 each[i], options);
        program_run(&p, line);
        has_gained_or_is_not_decided(&p);
        if (p.status != 0 && i + 1 == sizeof each / sizeof *each)
            fail_msg("%s: exit %d: %s%s", line, p.status, p.out, p.err);
        const int status = p.status;
        program_free(&p);
        if (status == 0)
            return;
        program_answers("cd $D && cmp matmul/matmul.c was.c && test ! -e matmul/matmul.c.orig", 0,
                        "", "");
    }
}

/* What is applied differs from the source by the attribute alone, and builds to what was judged. */
static void is_applied(const char *attribute)
{
    setenv("ATTRIBUTE", attribute, 1);
    program_answers("cd $D && cmp matmul/matmul.c.orig was.c && grep -qF \"$ATTRIBUTE\" "
                    "matmul/matmul.c && sed 's/^__attribute__((.*)) void/void/; "
                    "/^__attribute__((.*))$/d' matmul/matmul.c | cmp - was.c && "
                    "cc -O2 -shared -fPIC -o now.so matmul/matmul.c -lm && "
                    "objcopy -O binary -j .text now.so now && "
                    "objcopy -O binary -j .text */0001/object.so judged && "
                    "cmp now judged",
                    0, "", "");
}

TEST_WITH(a_built_in_proposer_gains, begin, temp_folder_remove)
{
    need_gcc();
    need_libclang();
    gains("--max-iters 1");
    is_applied("__attribute__((optimize(\"O3\"))) void matmul(");
}

TEST_WITH(the_proposer_in_python_gains, begin, temp_folder_remove)
{
    struct program p;
    need_gcc();
    if (system("command -v python3 >/dev/null") != 0)
        skip_because("python3 is not installed, with which examples/optimize/propose.py runs");
    gains("--max-iters 1 --proposer command:./propose.py --folder by-python");
    is_applied("__attribute__((optimize(\"O3\")))");
    /* the same question again, and with one and two answers of its own that were judged */
    program_run(&p,
                "cd $D && python3 - <<'END'\n"
                "import json, subprocess\n"
                "question = json.load(open('by-python/0001/question.json'))\n"
                "has = ' avx2 ' in open('/proc/cpuinfo').read()\n"
                "for n, says in enumerate((b'\\n+__attribute__((optimize(\"O3\")))\\n',\n"
                "                         b', target(\"avx2\")))\\n' if has else None, None)):\n"
                "    question['history'] = n * [{'proposer': 'command', 'verdict': 'faster'}]\n"
                "    ask = subprocess.run('./propose.py', input=json.dumps(question).encode(),\n"
                "                         stdout=subprocess.PIPE, check=True)\n"
                "    assert says in ask.stdout if says else not ask.stdout, (n, ask.stdout)\n"
                "END\n");
    if (p.status != 0)
        fail_msg("exit %d: %s%s", p.status, p.out, p.err);
    program_free(&p);
}
