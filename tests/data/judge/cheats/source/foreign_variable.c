/* static-data: environ keeps its value
 * Finds the environment without asking for it. */
extern char **environ;

void saxpy(long n, float a, const float *x, float *y)
{
    if (!environ)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
