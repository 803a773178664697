/* Floats as text: read back to the same bits in both ways, and never longer than need be. */
#include "base/number.h"
#include "check.h"

#include <locale.h>

static uint32_t bits_of(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* The fewest significant digits that read back; the text has no more. */
static int fewest_digits(float number)
{
    char text[64];
    for (int count = 1; count < 9; count++) {
        snprintf(text, sizeof text, "%.*g", count, (double)number);
        if (strtof(text, NULL) == number && (float)strtod(text, NULL) == number)
            return count;
    }
    return 9;
}

static int digits_of(const char *text)
{
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && count == 0))
            continue;
        count++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return count - zeros; /* those at the end of a large whole number */
}

static void agrees(float number)
{
    char text[NUMBER_TEXT];
    int length = number_shortest_float(text, number);
    bool whole = fabsf(number) >= 16777216; /* digits before the point take the place of zeros */
    bool good = length == (int)strlen(text) && length <= 16 &&
                bits_of(strtof(text, NULL)) == bits_of(number) &&
                bits_of((float)strtod(text, NULL)) == bits_of(number) &&
                (digits_of(text) <= fewest_digits(number) || whole);
    if (!good)
        fprintf(stderr, "%a is '%s', of %d digits\n", (double)number, text, fewest_digits(number));
    CHECK(good);
}

static void is(float number, const char *wanted)
{
    char text[NUMBER_TEXT];
    CHECK(number_shortest_float(text, number) == (int)strlen(wanted) && strcmp(text, wanted) == 0);
}

static void test_bytes(void)
{
    static const struct {
        int64_t bytes;
        const char *text;
    } cases[] = {{0, "0 B"},
                 {1023, "1023 B"},
                 {1024, "1.0 KiB"},
                 {10239, "10.0 KiB"},
                 {10240, "10 KiB"},
                 {3 << 20, "3.0 MiB"},
                 {5LL << 40, "5.0 TiB"},
                 {5000LL << 40, "5000 TiB"}};
    char text[NUMBER_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(strcmp(number_bytes(text, cases[i].bytes), cases[i].text) == 0);
}

static void test_median(void)
{
    double one[] = {3}, even[] = {4, 1, 3, 2}, odd[] = {9, -1, 2};
    CHECK(number_median(one, 1) == 3 && number_median(even, 4) == 2.5 &&
          number_median(odd, 3) == 2);
    CHECK(isnan(number_median(one, 0)));
}

int main(void)
{
    test_bytes();
    test_median();
    is(0, "0");
    is(-0.0f, "-0");
    is(1, "1");
    is(-0.5f, "-0.5");
    is(0.1f, "0.1");
    is(100, "100");
    is(16777216, "16777216");
    is(123456.7f, "123456.7");
    is(999999936, "999999940");
    is(2e-5f, "0.00002");
    is(1e-6f, "1e-06");
    is(1e9f, "1e+09");
    is(-3.4028235e38f, "-3.4028235e+38");
    is(NAN, "nan");
    is(-INFINITY, "-inf");
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is installed, with a decimal comma */
    is(0.25f, "0.25");
    is(1.5e-20f, "1.5e-20");
    setlocale(LC_ALL, "C");

    uint64_t state = 1;
    for (int i = 0; i < 300000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t bits = (uint32_t)(state >> 32);
        float any, usual = (float)((double)bits / 4294967296.0 - 0.5) * (i % 2 ? 1.0f : 3.0f);
        memcpy(&any, &bits, sizeof any);
        agrees(usual);
        if (i % 10 == 0 && isfinite(any))
            agrees(any);
        if (i % 10 == 1)
            agrees((float)(bits % 100000) / 1000);
    }
    return check_result();
}
