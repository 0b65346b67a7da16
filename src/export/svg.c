#include "export/svg.h"

#include "base/print.h"

void svg_begin(FILE *out, int width, unsigned height, int font_pixels, const char *style)
{
    print_xml(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\">\n"
              "<style>text{font:%dpx monospace;fill:#1b1b1b}%s</style>\n"
              "<rect width=\"100%%\" height=\"100%%\" fill=\"#fbfbf8\"/>\n",
              width, height, width, font_pixels, style);
}

void svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

void svg_text(FILE *out, int x, unsigned y, int most, const char *text)
{
    fprintf(out, "<text x=\"%d\" y=\"%u\">", x, y);
    print_xml(out, "%.*s", most, text);
    fputs("</text>\n", out);
}

void svg_text_in(FILE *out, double x, unsigned y, int most, const char *text)
{
    fprintf(out, "<text x=\"%.2f\" y=\"%u\">", x, y);
    print_xml(out, "%.*s", most, text);
    fputs("</text>", out);
}
