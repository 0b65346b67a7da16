long find(long n, const int *x)
{
    for (long i = 0; i < n; i++)
        if (x[i] == 1000000)
            return i;
    return -1;
}
