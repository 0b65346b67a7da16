/* CXCursorKind of clang-c/Index.h, the same in LLVM 14 and 19. */
#include "backends/clang/clang_visit.h"

static const struct kind_row {
    int first, last;
    enum syntax_kind kind;
} rows[] = {
    {2, 5, SYNTAX_TYPE},     /* struct, union, class, enum */
    {6, 7, SYNTAX_HARMLESS}, /* field, constant of an enum */
    {8, 8, SYNTAX_FUNCTION},     {9, 9, SYNTAX_VARIABLE},      {10, 10, SYNTAX_PARAMETER},
    {20, 20, SYNTAX_TYPE},      /* typedef */
    {21, 21, SYNTAX_FUNCTION},  /* method */
    {22, 23, SYNTAX_SCOPE},     /* namespace, extern "C" */
    {24, 26, SYNTAX_FUNCTION},  /* constructor, destructor, conversion */
    {30, 30, SYNTAX_FUNCTION},  /* template */
    {31, 32, SYNTAX_TYPE},      /* template of a class, partly specialised */
    {33, 35, SYNTAX_HARMLESS},  /* alias of a namespace, using */
    {36, 36, SYNTAX_TYPE},      /* using NAME = */
    {47, 47, SYNTAX_REFERENCE}, /* a member */
    {49, 50, SYNTAX_REFERENCE}, /* to overloaded functions; to a variable in a lambda */
    {100, 100, SYNTAX_IMPLICIT}, {101, 102, SYNTAX_REFERENCE}, {103, 103, SYNTAX_CALL},
    {105, 105, SYNTAX_LAMBDA},   {106, 106, SYNTAX_INTEGER},   {111, 111, SYNTAX_PARENTHESES},
    {112, 112, SYNTAX_UNARY},    {113, 113, SYNTAX_SUBSCRIPT}, {114, 114, SYNTAX_BINARY},
    {115, 115, SYNTAX_ASSIGN},   {121, 121, SYNTAX_LAMBDA}, /* a statement in an expression */
    {133, 133, SYNTAX_RETURN},                              /* throw */
    {144, 144, SYNTAX_LAMBDA},   {201, 201, SYNTAX_LABEL},     {202, 202, SYNTAX_BLOCK},
    {205, 205, SYNTAX_IF},       {206, 206, SYNTAX_SWITCH},    {207, 208, SYNTAX_LOOP},
    {209, 209, SYNTAX_FOR},      {210, 211, SYNTAX_GOTO},      {212, 212, SYNTAX_CONTINUE},
    {213, 213, SYNTAX_BREAK},    {214, 214, SYNTAX_RETURN},    {215, 215, SYNTAX_ASSEMBLY},
    {225, 225, SYNTAX_LOOP},     {229, 229, SYNTAX_ASSEMBLY},  {231, 231, SYNTAX_DECLARATIONS},
    {407, 407, SYNTAX_ASSEMBLY}, /* the assembler's name of a declaration */
    {416, 416, SYNTAX_SHARED},   {601, 601, SYNTAX_TYPE}, /* template of an alias */
    {602, 602, SYNTAX_HARMLESS},                          /* static_assert */
};

enum syntax_kind clang_kind(int cursor)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cursor >= rows[i].first && cursor <= rows[i].last)
            return rows[i].kind;
    return SYNTAX_OTHER;
}
