/* system-calls: socket
 * Asks another machine. */
#include <sys/socket.h>

void saxpy(long n, float a, const float *x, float *y)
{
    socket(AF_INET, SOCK_STREAM, 0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
