#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/program.h"
#include "cli/options/exit.h"
#include "cli/options/command.h"
#include "cli/options/generate.h"
#include "cli/options/options.h"
#include "tui/input/keys.h"
#include "support/skip.h"

const struct command commands[] = {
    {"", "watch", "rooftop [OPTION...]", NULL, true},
    {"kernels", "kernels of a profile", "rooftop kernels FILE...", NULL, true},
    {"doctor", "what can be measured", "rooftop doctor [--format json]", NULL, false},
    {"record", "record", "rooftop record", NULL, true},
    {"tree", "tree", "rooftop tree", NULL, true},
    {"path", "path", "rooftop path", NULL, true},
    {"roofline", "roofline", "rooftop roofline", NULL, true},
    {"profile", "profile", "rooftop profile", NULL, true},
    {"capture", "capture", "rooftop capture -- COMMAND", NULL, true},
    {"timeline", "timeline", "rooftop timeline", NULL, true},
    {"replay", "replay", "rooftop replay full-vm --capture-dir DIR", NULL, false},
    {"code", "kernels' code", "rooftop code FILE", NULL, false},
    {"reproduce", "reproduce", "rooftop reproduce --capture-dir DIR -o FOLDER", NULL, false},
    {"code-object", "a code object", "rooftop code-object FILE", NULL, false},
    {0},
};

static char *generated(const char *what)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    assert_int_equal(options_generate(f, what), 0);
    fclose(f);
    assert_true(len > 100);
    return text;
}

/* text with roff's escapes of '-' undone, to look for names in it */
static void plain(char *text)
{
    char *o = text;
    for (const char *p = text; *p; p++)
        if (*p != '\\' || p[1] != '-')
            *o++ = *p;
    *o = 0;
}

static void expect_every_option(const char *text, const char *prefix)
{
    for (const struct option_def *d = option_table; d->name; d++) {
        char word[64];
        snprintf(word, sizeof word, "%s%s", prefix, d->name);
        if (!strstr(text, word))
            fail_msg("%s is not mentioned", word);
    }
}

static void help_mentions_every_option(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    for (const struct command *k = commands; k->name; k++)
        options_help(f, k->name);
    fclose(f);
    expect_every_option(text, "--");
    assert_non_null(strstr(text, "doctor"));
    for (const char *p = text; *p; p += strcspn(p, "\n") + 1)
        assert_in_range(strcspn(p, "\n"), 0, 100);
    free(text);
}

static void help_of_a_command_is_its_own(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    options_help(f, "doctor");
    fclose(f);
    assert_non_null(strstr(text, "rooftop doctor"));
    assert_non_null(strstr(text, "--format"));
    assert_null(strstr(text, "--pid"));
    free(text);
}

/* All of them, in one table; a command's own help points there. */
static void help_lists_the_exit_statuses(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    options_help(f, "");
    fclose(f);
    const char *at = strstr(text, "\nExit status\n");
    assert_non_null(at);
    for (const struct exit_row *e = exit_table; at && e->text; e++) {
        char row[32];
        snprintf(row, sizeof row, "\n  %-5d%.12s", e->code, e->text);
        at = strstr(at, row);
        if (!at)
            fail_msg("no '%s' behind the ones before it in\n%s", row, text);
    }
    free(text);
    f = open_memstream(&text, &len);
    options_help(f, "replay");
    fclose(f);
    assert_non_null(strstr(text, "rooftop --help lists the exit statuses"));
    free(text);
}

static void manual_mentions_everything(void **state)
{
    (void)state;
    char *text = generated("man");
    plain(text);
    expect_every_option(text, "--");
    for (int i = 0; i < ACTION_COUNT; i++) {
        char word[64];
        snprintf(word, sizeof word, "(%s)", action_table[i].name ? action_table[i].name : "");
        if (action_table[i].name && action_table[i].keys && !strstr(text, word))
            fail_msg("the key of %s is not in the manual", word);
    }
    for (const struct exit_row *e = exit_table; e->text; e++) {
        char row[32];
        snprintf(row, sizeof row, ".B %d\n", e->code);
        assert_non_null(strstr(text, row));
    }
    assert_non_null(strstr(text, "ROOFTOP_NO_MOUSE"));
    assert_non_null(strstr(text, "config.toml"));
    free(text);
}

static void manual_formats_without_warnings(void **state)
{
    (void)state;
    struct program p;
    char name[] = "/tmp/rooftop-man-XXXXXX", line[128];
    program_run(&p, "command -v groff");
    bool there = p.status == 0;
    program_free(&p);
    if (!there)
        skip_because("groff is not installed");
    char *text = generated("man");
    int fd = mkstemp(name);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    free(text);
    snprintf(line, sizeof line, "groff -man -ww -Kutf8 -Tutf8 %s", name);
    program_run(&p, line);
    unlink(name);
    assert_string_equal(p.err, "");
    assert_int_equal(p.status, 0);
    assert_true(p.out_len > 2000);
    program_free(&p);
}

static void completions_hold_every_option(void **state)
{
    (void)state;
    static const char *const shells[][2] = {{"bash", "--"}, {"zsh", "--"}, {"fish", "-l "}};
    for (size_t i = 0; i < 3; i++) {
        char *text = generated(shells[i][0]);
        expect_every_option(text, shells[i][1]);
        assert_non_null(strstr(text, "doctor"));
        assert_non_null(strstr(text, "jsonl"));
        assert_non_null(strstr(text, "overview"));
        free(text);
    }
}

/* bash itself must take the script, and offer what begins like the word. */
static void bash_completes(void **state)
{
    (void)state;
    struct program p;
    char name[] = "/tmp/rooftop-bash-XXXXXX", line[512];
    char *text = generated("bash");
    int fd = mkstemp(name);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    free(text);
    snprintf(
        line, sizeof line,
        "source %s; COMP_WORDS=(rooftop --inter); COMP_CWORD=1; _rooftop; echo ${COMPREPLY[*]};"
        "COMP_WORDS=(rooftop --format js); COMP_CWORD=2; _rooftop; echo ${COMPREPLY[*]};"
        "COMP_WORDS=(rooftop -d ''); COMP_CWORD=2; _rooftop; echo \"${COMPREPLY[*]}\"",
        name);
    program_run(&p, line);
    unlink(name);
    assert_string_equal(p.err, "");
    assert_true(strncmp(p.out, "--interval\njson jsonl\n", 22) == 0);
    program_free(&p);
}

/* The scripts put these between single quotes. */
static void sentences_hold_no_quote(void **state)
{
    (void)state;
    for (const struct option_def *d = option_table; d->name; d++)
        assert_null(strchr(d->help, '\''));
}

static void the_table_is_sound(void **state)
{
    (void)state;
    char letters[128] = "";
    size_t n = 0;
    for (const struct option_def *d = option_table; d->name; d++) {
        assert_ptr_equal(option_find(d->name), d); /* no name twice */
        assert_null(d->letter ? strchr(letters, d->letter) : NULL);
        if (d->letter)
            letters[n++] = d->letter;
        assert_int_equal(d->type == OPTION_FLAG, d->arg == NULL);
        assert_true(d->offset < sizeof(struct options));
    }
    assert_null(option_find("nothing"));
    assert_true(options_generate(stdout, "pdf") < 0);
}

static void metrics_are_listed(void **state)
{
    (void)state;
    char *text = generated("metrics");
    assert_non_null(strstr(text, "ipc"));
    assert_non_null(strstr(text, "|"));
    free(text);
}

/* The one in docs/ is what editors fetch: make it anew with --generate config-schema. */
static void the_schema_in_docs_is_this_one(void **state)
{
    (void)state;
    char *text = generated("config-schema"), *kept = calloc(1, 1 << 16);
    FILE *f = fopen("docs/config.schema.json", "r");
    assert_non_null(f);
    assert_true(fread(kept, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    assert_string_equal(kept, text);
    free(kept);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_mentions_every_option),
        cmocka_unit_test(help_of_a_command_is_its_own),
        cmocka_unit_test(help_lists_the_exit_statuses),
        cmocka_unit_test(manual_mentions_everything),
        cmocka_unit_test(manual_formats_without_warnings),
        cmocka_unit_test(completions_hold_every_option),
        cmocka_unit_test(bash_completes),
        cmocka_unit_test(sentences_hold_no_quote),
        cmocka_unit_test(the_table_is_sound),
        cmocka_unit_test(metrics_are_listed),
        cmocka_unit_test(the_schema_in_docs_is_this_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
