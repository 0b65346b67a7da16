/* What parsers of plain text share; characters beyond ASCII are never part of it. */
#pragma once

/* The value of a hexadecimal digit of either case; -1: it is none. */
static inline int ascii_hex(int c)
{
    const int low = c | 0x20;
    if (c >= '0' && c <= '9')
        return c - '0';
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* Cuts blanks and tabs off both ends, in place; returns where the text begins now. */
char *ascii_trim(char *text);
/* Decodes %XX, in place; %00 stays as it is, because it would end the text. Returns text. */
char *ascii_percent(char *text);
