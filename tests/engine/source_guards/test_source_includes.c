/* A candidate may not make the compiler read other files than the source does. */
#include <string.h>

#include "engine/source_guards/source_guard_ops.h"
#include "support/test.h"

extern const struct source_guard_ops source_guard_includes;

#define SOURCE "#include <math.h>\n#  include \\\n \"own.h\"\nint f(void) { return 1; }\n"

static int check(const char *candidate, const char *allow, struct source_refusal *refused)
{
    struct error err = ERROR_INIT;
    const struct source_pair pair = {.path = "f.c",
                                     .function = "f",
                                     .original = SOURCE,
                                     .n_original = strlen(SOURCE),
                                     .candidate = candidate,
                                     .n_candidate = strlen(candidate),
                                     .allow = allow};
    *refused = (struct source_refusal){.guard = ""};
    return source_guard_includes.check(&pair, refused, &err);
}

TEST(what_is_there_is_taken)
{
    static const char *const taken[] = {
        SOURCE,
        "int f(void) { return 2; }\n",
        "#include <math.h>\n#define X 1\nint f(void) { int included = X; return included; }\n",
        "#  include  \"own.h\"\n",
        "#include <stdlib.h>\n",
        "\t# include\t<vector> \n",
        "/* step #2 */ int line = 2;\n# define line 3\n",
        "char a[] = \"#line 2\"; /* see #line */\n",
        "/*\n * #2 \"is\" faster, no dependency between loops\n */\n",
        "#if 2\n#endif\n#lines\n# 2\n",
    };
    struct source_refusal refused;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (check(taken[i], NULL, &refused) != 0)
            fail_msg("case %zu: %s", i, refused.evidence);
}

TEST(what_is_new_is_refused)
{
    static const char *const bad[] = {
        "#include \"/etc/passwd\"\n",
        "#include <math.h> \"/etc/passwd\"\n",
        "#include <../own.h>\n",
        "#include </etc/passwd>\n",
        "#include <secret>\n",
        "#include <math.h> /* > */\n",
        "#inc\\\nlude \"/etc/passwd\"\n",
        "#inc\\  \nlude \"/etc/passwd\"\n",
        "#inc?\?/\nlude \"/etc/passwd\"\n",
        "#/*\n*/include \"/etc/passwd\"\n",
        "%:include \"/etc/passwd\"",
        "#include_next <x.h>\n",
        "#import \"x\"\n",
        "static const char a[] = {\n#embed \"/etc/passwd\"\n};\n",
        "#if __has_include(\"/root/x\")\n#endif\n",
        "__asm__(\".incbin \\\"/etc/passwd\\\"\");\n",
        "__asm__(\".inc\" \"lude \\\"/etc/passwd\\\"\");\n",
        "#define A(a, b) a##b\nA(as, m)(\".inc\" \"lude \\\"/etc/passwd\\\"\");\n",
        "%:define A(a, b) a%:%:b\n",
        "#line 2 \"/etc/passwd\"\nint x = 1 1;\n",
        "# line 2\n",
        " \t#\tline L\n",
        "int x;\n# 2 \"/etc/passwd\"\n",
        "#2\"/etc/passwd\"\n",
        "# 2 HERE\n",
        "%:line 2 \"/etc/passwd\"\n",
        "?\?=line 2 \"/etc/passwd\"\n",
        "#/*\n*/line 2 \"/etc/passwd\"\n",
        "/* x */ # /* y */ 2 \"/etc/passwd\"\n",
        "#li\\\nne 2 \"/etc/passwd\"\n",
        "#\\\n2 \"/etc/passwd\"\n",
        "int x;\r#line 2 \"/etc/passwd\"\r",
        "\xef\xbb\xbf#line 2 \"/etc/passwd\"\n",
        "#pragma GCC dependency \"/etc/passwd\"\n",
        "_Pragma(\"GCC dependency \\\"/etc/passwd\\\"\")\n",
    };
    struct source_refusal refused;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (check(bad[i], "cold,asm", &refused) != 1)
            fail_msg("case %zu is taken", i);
        assert_string_equal(refused.guard, "include");
        assert_int_equal(check(bad[i], "cold,include", &refused), 0);
    }
}

/* Who allows assembly has allowed what an assembler reads, but for what is plain. */
TEST(assembly_may_be_allowed)
{
    struct source_refusal refused;
    const char *plain = "void f(void) { __asm__ volatile(\"nop\"); }\n";
    assert_int_equal(check(plain, NULL, &refused), 1);
    assert_non_null(strstr(refused.evidence, "'__asm__'"));
    assert_int_equal(check(plain, "cold,assembly", &refused), 0);
    assert_int_equal(check("__asm__(\".incbin \\\"x\\\"\");\n", "assembly", &refused), 1);
}
