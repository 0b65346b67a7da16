/* scripts/raw.sh makes every writer use base/print.h: it must notice each way around it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/program.h"
#include "support/test.h"

static int check(const char *code, struct program *p)
{
    char path[] = "/tmp/rooftop-raw-XXXXXX.c", shell[128];
    int fd = mkstemps(path, 2);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, code, strlen(code)), strlen(code));
    close(fd);
    snprintf(shell, sizeof shell, "scripts/raw.sh %s", path);
    program_run(p, shell);
    unlink(path);
    return p->status;
}

TEST(every_way_past_is_seen)
{
    static const char *const cases[] = {
        "fprintf(out, \"%s\\n\", name);",
        "fprintf(out, \"%-20.20s\", name);",
        "fprintf(out, \"%.*s\", n, name);",
        "fprintf(out,\n        \"%d \"\n        \"%s\",\n        1, graph_name(g, v));",
        "fprintf(out, \"%\" PRIu64 \" %s\", n, name);",
        "printf(\"%s\", name);",
        "dprintf(2, \"%s\", path);",
        "vfprintf(stderr, format, ap);",
        "perror(path);",
        "puts(name);",
        "fputs(name, out);",
        "fputs(n ? name : \"\", out);",
        "fputs(n ? \"\" : name, out);",
        "fputs(*why ? why : \"none\", out);",
        "fputs(graph_name(g, v), out);",
        "for (; *c; c++) fputc(*c, out);",
        "fputc(c == ';' ? ':' : c, out);",
        "putchar(name[i]);",
        "fwrite(name, 1, strlen(name), out);",
        "write(STDERR_FILENO, name, n);",
        "write(2, name, n);",
        "char *t = cJSON_Print(doc);",
        "char *t = cJSON_PrintUnformatted(doc);",
        "x = \"&lt;\";",
        "snprintf(b, 9, \"\\\\u%04x\", c);",
        "/* a comment: fputs(\"\", out) */ fputs(name, out);",
        "fputs(\"/*\", out); fputs(name, out); fputs(\"*/\", out);",
    };
    struct program p;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char code[512];
        snprintf(code, sizeof code, "void f(void)\n{\n    %s\n}\n", cases[i]);
        if (check(code, &p) != 1)
            fail_msg("not seen: %s\n%s%s", cases[i], p.out, p.err);
        if (!strstr(p.out, ".c:3: "))
            fail_msg("no place: %s\n%s", cases[i], p.out);
        program_free(&p);
    }
}

TEST(safe_calls_pass)
{
    static const char *const cases[] = {
        "print_text(out, \"%s\\n\", name);",
        "fprintf(out, \"%d %5.1f%% \" \"%\" PRIu64, 1, 2.0, n);",
        "fprintf(out, \"%*s\", width, \"\");",
        "fputs(\"a literal\" \"of two\", out);",
        "fputs(n ? \"one\" : \"other\", out);",
        "fputs(a ? \"one\" : b ? \"two\" : \"three\", out);",
        "fputs(number_text(v, n), out);",
        "fputc('\\'', out);",
        "fputc(n ? ';' : ' ', out);",
        "write(fd, name, n);",
        "snprintf(text, sizeof text, \"%s\", name);",
        "fputs(name, out); /* raw: from a table of ours */",
        "/* raw: as said */\n    fputs(name, out);",
        "/* fputs(name, out) and \"&lt;\" */",
        "my_fputs(name, out);",
    };
    struct program p;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char code[512];
        snprintf(code, sizeof code, "/* x */\n\nvoid f(void)\n{\n    %s\n}\n", cases[i]);
        if (check(code, &p) != 0)
            fail_msg("refused: %s\n%s%s", cases[i], p.out, p.err);
        program_free(&p);
    }
}
