#pragma once

/*
 * Takes the character set of the user's locale, and nothing else of it: numbers keep their decimal
 * point. UTF-8 is taken from C.UTF-8 where the system lacks the user's locale, as minimal ones do.
 */
void character_set_take(void);
