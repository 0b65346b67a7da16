/* Servers that a test starts itself, on free ports, and ends in all cases. */
#pragma once

/* A port of 127.0.0.1 that nobody listens on. */
int service_port(void);
/* Starts a shell line, which ends with us; its output goes to $D/service.log. */
void service_start(const char *shell);
/* Waits until somebody listens on the port; fails the test if nobody does. */
void service_wait(int port);
/* For cmocka and at the end: ends all services. */
int services_stop(void **state);
/* Starts tests/backends/prometheus/web.py with the files of $D, or skips the test where there is no
 * Python. Returns its port. */
int service_web(void);
/* Whether a program is installed. */
int service_has(const char *program);
