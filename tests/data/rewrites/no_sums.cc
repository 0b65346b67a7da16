// As no_sums.c, in C++.
extern "C" int read_one(int);

void reference(int *a, int n)
{
    int of = 0;
    int &s = of;
    for (int i = 0; i < n; i++)
        s += a[i];
    a[0] = of;
}

void referred_to(int *a, int n)
{
    int s = 0;
    const int &now = s;
    for (int i = 0; i < n; i++) {
        s += a[i];
        a[i] = now;
    }
}

void caught(int *a, int n)
{
    int s = 0;
    try {
        for (int i = 0; i < n; i++)
            s += read_one(a[i]);
    } catch (...) {
        a[0] = s;
    }
}
