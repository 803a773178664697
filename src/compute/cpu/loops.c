/* loops */ typedef int loops_empty;
