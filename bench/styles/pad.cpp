// Linked in front of a program, so that its functions start at other places within a cache line.
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
asm(".text\n.p2align 6\n.skip " TEXT(STYLE_START) "\n");
