/* Pieces of SVG documents. */
#include <stdio.h>
#include <stdlib.h>

#include "export/svg.h"
#include "support/test.h"

TEST(a_whole_picture)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    svg_begin(out, 300, 40, 12, ".i{stroke:red}");
    svg_text(out, 8, 20, 7, "a<b> & \"c\"");
    svg_text_in(out, 1.5, 30, 100, "gemm\033[31m");
    svg_end(out);
    fclose(out);
    assert_string_equal(
        text, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 300 40\" width=\"300\">\n"
              "<style>text{font:12px monospace;fill:#1b1b1b}.i{stroke:red}</style>\n"
              "<rect width=\"100%\" height=\"100%\" fill=\"#fbfbf8\"/>\n"
              "<text x=\"8\" y=\"20\">a&lt;b&gt; &amp; </text>\n"
              "<text x=\"1.50\" y=\"30\">gemm\xef\xbf\xbd[31m</text></svg>\n");
    free(text);
}
