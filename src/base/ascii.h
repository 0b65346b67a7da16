/* Helpers that parsers of ASCII text share. */
#pragma once

/* Returns the value of a hexadecimal digit of either case, or -1 for any other character. */
static inline int ascii_hex(int c)
{
    const int low = c | 0x20;
    if (c >= '0' && c <= '9')
        return c - '0';
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* Cuts blanks and tabs off both ends, in place. Returns the new start of the text. */
char *ascii_trim(char *text);
/* Decodes %XX, in place; %00 stays as it is, because it would end the text. Returns text. */
char *ascii_percent(char *text);
