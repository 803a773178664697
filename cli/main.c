#include "graco.h"
int main(void)
{
    return 0;
}
