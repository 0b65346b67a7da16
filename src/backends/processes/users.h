/*
 * User names by number, each looked up once.
 */
#ifndef ROOFTOP_BACKENDS_PROCESSES_USERS_H
#define ROOFTOP_BACKENDS_PROCESSES_USERS_H

#include <stddef.h>
#include <sys/types.h>

struct users;

struct users *users_open(void); /* reads /etc/passwd */
/* Index of uid's name; stays valid. May ask the system's directory service once for a number that
 * /etc/passwd lacks. */
int users_index(struct users *u, uid_t uid);
const char *users_name(const struct users *u, int index); /* the number as text where it has none */
int users_count(const struct users *u);
void users_close(struct users *u);

#endif
