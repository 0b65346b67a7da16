/* User names by uid, each looked up once. */
#ifndef ROOFTOP_BACKENDS_PROCESSES_USERS_H
#define ROOFTOP_BACKENDS_PROCESSES_USERS_H

#include <stddef.h>
#include <sys/types.h>

struct users;

struct users *users_open(void); /* reads /etc/passwd */
/*
 * The index of uid's name; stays valid. For a uid that is not in /etc/passwd it may ask the
 * system's directory service, once.
 */
int users_index(struct users *u, uid_t uid);
const char *users_name(const struct users *u, int index); /* the uid as text where it has no name */
int users_count(const struct users *u);
void users_close(struct users *u);

#endif
