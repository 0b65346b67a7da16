/* What -h prints: one screen, arranged by what a user asks (raw: our own table). */
#include "cli/options/generate.h"

static const struct {
    const char *question, *line;
} questions[] = {
    {"What does my machine do?", "rooftop"},
    {"What does this program do?", "rooftop -- ./prog        rooftop -p PID"},
    {"  Which system calls?", "rooftop trace -- ./prog"},
    {"Where did a profile's time go?", "rooftop report FILE      rooftop FILE"},
    {"  Why is this step slow?", "rooftop report FILE steps"},
    {"  What decides how long it takes?", "rooftop report FILE path"},
    {"  Which kernels, and their limit?", "rooftop report FILE kernels|roofline"},
    {"  What ran when, inside what?", "rooftop report FILE timeline|tree|bricks"},
    {"Did it get faster?", "rooftop compare -- ./old -- ./new"},
    {"  Between two profiles or runs?", "rooftop compare OLD NEW"},
    {"  Over many runs?", "rooftop compare history"},
    {"Does it keep its budgets?", "rooftop check BUDGETS.toml -- ./prog"},
    {"  Does it still do the same?", "rooftop check golden NAME"},
    {"Can this code be made faster?", "rooftop optimize SOURCE --run COMMAND"},
    {"How do I get a profile of a GPU?", "rooftop gpu profile -- ./prog"},
    {"  One kernel, launched again?", "rooftop gpu capture|replay|reproduce"},
    {"Can I look at it later?", "rooftop record -o FILE"},
    {"  In another tool?", "rooftop export FILE"},
    {"What can this CPU do at most?", "rooftop lab roofs"},
    {"What works here, and what not?", "rooftop doctor"},
};

void generate_brief(FILE *out)
{
    fputs("usage: rooftop [OPTION...] [FILE | -p PID | -- COMMAND...]\n\n", out);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        fprintf(out, "%-36s%s\n", questions[i].question, questions[i].line);
    fputs("rtop is the same program. A noun may be cut: rtop co OLD NEW compares.\n", out);
    fputs("rooftop help NOUN is about one of them, such as report; --help tells all.\n", out);
}
