/* Files of the working folder, as messages about a file that was not named offer them. */
#include "cli/run/nearby.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/made_capture.h"
#include "support/program.h"
#include "support/test.h"

#define TRACE "tests/data/path/streams.json"

static char folder[] = "/tmp/rooftop-nearby-XXXXXX";

FIXTURE(enter_folder)
{
    assert_non_null(mkdtemp(folder));
    setenv("D", folder, 1);
}

FIXTURE_STATUS(leave_folder)
{
    return system("rm -r $D");
}

static void clear_folder(void)
{
    program_answers("rm -rf $D && mkdir $D", 0, "", "");
}

TEST(nothing_is_offered_where_nothing_is)
{
    program_answers("cd $D && $BIN export", 2, "", "no file is named");
    program_answers("cd $D && $BIN export 2>&1 | grep here:", 1, "", "");
    program_answers("cd $D && $BIN gpu replay full-vm 2>&1 | grep here:", 1, "", "");
}

/* The newest first; only what is read, whatever its name. */
TEST(profiles_are_offered)
{
    clear_folder();
    program_answers(
        "cp " TRACE " \"$D/a run\" && cp " TRACE " $D/later && cp " TRACE " $D/.hidden && "
        "touch -d '2 days ago' \"$D/a run\" && cp renacer.toml $D/x.json && : >$D/empty.db",
        0, "", "");
    program_answers("cd $D && $BIN export", 2, "", "FILE...; here: later, 'a run'\n");
    program_answers("cd $D && cp later one && cp later two && $BIN export 2>&1 | tr -dc , | wc -c",
                    0, "2", ""); /* three names */
}

/* In a folder with many files only the newest are opened, and a name too long for the message is
 * left out. */
TEST(many_files_and_long_names)
{
    clear_folder();
    char text[64], help[320];
    char long_name[256];
    memset(long_name, 'n', 250);
    long_name[250] = '\0';
    setenv("N", long_name, 1);
    program_answers("for i in $(seq 200); do echo $i >$D/$i; done; cp " TRACE " $D/$N", 0, "", "");
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    nearby_profiles("name one", nearby_any, text, sizeof text);
    nearby_profiles("name one", nearby_any, help, sizeof help);
    assert_int_equal(chdir(here), 0);
    assert_string_equal(text, "name one");
    assert_non_null(strstr(help, "; here: nnn"));
}

static bool is_anything(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Samples are no profile for a command that needs calls; a budget file is none for any. */
TEST(only_what_the_command_reads_is_offered)
{
    clear_folder();
    program_answers("cp " TRACE " $D/run.json && cp renacer.toml $D/later.toml && "
                    "echo 'main;work 5' >$D/work.folded && echo x = >$D/lates.toml",
                    0, "", "");
    program_answers("cd $D && $BIN report path", 2, "",
                    "report path: no file is named, and no program here records bricks; name a "
                    "profile, or a program that records them: -p PID, or -- COMMAND; here: "
                    "run.json\n");
    program_answers("cd $D && $BIN report 2>&1 | grep -c work.folded", 0, "1\n", "");
    program_answers("cd $D && $BIN report", 2, "", "report: no file is named");
    program_answers("cd $D && $BIN export", 2, "", "work.folded");
    program_answers("cd $D && $BIN check later.tolm -- true", 3, "", "did you mean later.toml?\n");
    program_answers("cd $D && $BIN check later.toml runn.json", 3, "", "did you mean run.json?\n");
    program_answers("cd $D && $BIN check run.jsn -- true", 3, "",
                    "run.jsn: No such file or directory; it is not in this folder: name it with "
                    "its path, or go to where it lies\n");
    program_answers("cd $D && $BIN compare runn.json run.json", 3, "", "did you mean run.json?\n");
    program_answers("cd $D && $BIN compare run.json latr.toml", 3, "",
                    "No such file or directory; it is not in this folder");
    program_answers("cd $D && $BIN report bricks --budgets latr.toml run.json", 3, "",
                    "did you mean later.toml?\n");
    program_answers("cd $D && $BIN check golden compare runn.json run.json", 3, "",
                    "did you mean run.json?\n");
    program_answers("cd $D && $BIN gpu code object runn.json", 3, "", "did you mean run.json?\n");
    program_answers("cd $D && $BIN --headless runn.json", 3, "", "did you mean run.json?\n");
    program_answers("$BIN --asert x.toml", 2, "", "did you mean rooftop check?\n");
}

/* Where no name is near, the part of the path that is missing is named. */
TEST(a_file_that_is_not_there_is_told_by_its_path)
{
    static const struct {
        const char *arguments, *help;
    } cases[] = {
        {"/nonexistent", "/nonexistent: No such file or directory; ls / shows what is there\n"},
        {"report /nonexistent", "ls / shows what is there\n"},
        {"compare /none/such/file run.json", "directory; there is no folder /none\n"},
        {"report ranks ./none/such", "directory; there is no folder ./none\n"},
        {"--headless ./none", "directory; ls ./ shows what is there\n"},
        {"report path away", "directory; it is a link, and what it leads to is not there\n"},
        {"away", "directory; it is a link, and what it leads to is not there\n"},
        {"loop", "links; it is a link that leads back to itself\n"},
        {"report path loop", "links; it is a link that leads back to itself\n"},
    };
    clear_folder();
    program_answers("cp " TRACE " $D/run.json && ln -s none $D/away && ln -s loop $D/loop", 0, "",
                    "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("A", cases[i].arguments, 1);
        program_answers("cd $D && $BIN $A", 3, "", cases[i].help);
    }
}

TEST(a_name_that_is_near_is_offered)
{
    static const char *const names[][2] = {
        {"tests/data/path/streems.json", "did you mean tests/data/path/streams.json?"},
        {"renacer.tolm", "did you mean renacer.toml?"},
        {"./renacer.tolm", "did you mean ./renacer.toml?"},
        {"/tmpp", "did you mean /tmp?"},
        {"nothing/is/here", ""},
        {"zzzzzzzzzzzz", ""},
        {"src/", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char out[128];
        assert_string_equal(nearby_name(names[i][0], is_anything, out, sizeof out), names[i][1]);
    }
}

TEST(captures_are_offered)
{
    clear_folder();
    struct made_capture made;
    made_capture_make(&made);
    setenv("C", made.dir, 1);
    program_answers("cp -r $C $D/gemm && mkdir $D/rest && cd $D && $BIN gpu replay full-vm", 2, "",
                    "which capture?; name one: --capture-dir DIR; here: ./gemm\n");
    program_answers("mkdir $D/rooftop_captures && cp -r $C $D/rooftop_captures/add && cd $D && "
                    "$BIN gpu reproduce",
                    2, "", "; here: rooftop_captures/add\n");
    made_capture_remove(&made);
}

TEST_MAIN(enter_folder, leave_folder)
