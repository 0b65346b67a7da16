/* A PostgreSQL server of the test's own, in temp_folder, which only its socket there reaches. */
#pragma once

/* Makes and starts it; *D/pg is its folder. Skips the test where PostgreSQL is not installed. The
 * address is $PG in the environment, and returned. */
const char *postgres_start(void);
void postgres_again(void); /* starts it again after it was ended */
void postgres_end(void);   /* at once, as where the power fails; no error if it does not run */
/* Runs statements, and fails the test unless that works and prints this (NULL: whatever). */
void postgres_says(const char *sql, const char *expected);
