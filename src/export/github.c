#include "export/github.h"

#include "base/print.h"

void github_annotate(FILE *out, const char *level, const char *file, int line, const char *title,
                     const char *text)
{
    print_text(out, "::%s ", level);
    if (file) {
        fputs("file=", out);
        print_put(out, PRINT_GITHUB_PROPERTY, file);
        if (line > 0)
            fprintf(out, ",line=%d", line);
        fputc(',', out);
    }
    fputs("title=", out);
    print_put(out, PRINT_GITHUB_PROPERTY, title);
    fputs("::", out);
    print_put(out, PRINT_GITHUB, text);
    fputc('\n', out);
}
