/* qemu-user of Debian 12 does not know TCGETS2 and TCSETS2, with which serial ports are opened. This library, which is loaded before all
 * others, asks with TCGETS and TCSETS instead: `struct termios2` begins with `struct termios` of the kernel, and a pseudo-terminal has
 * no baud rate. tests/package.sh builds it. */
#define _GNU_SOURCE
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>

int ioctl(int fd, unsigned long request, ...) {
    static int (*next)(int, unsigned long, ...);
    if (!next) next = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    switch ((unsigned int)request) {
    case TCGETS2: request = TCGETS; break;
    case TCSETS2: request = TCSETS; break;
    case TCSETSW2: request = TCSETSW; break;
    case TCSETSF2: request = TCSETSF; break;
    default: return next(fd, request, argument);
    }
    struct termios plain;
    struct termios2 *wanted = argument;
    if (request != TCGETS) memcpy(&plain, wanted, sizeof plain);
    int status = next(fd, request, &plain);
    if (request == TCGETS && status == 0) {
        memset(wanted, 0, sizeof *wanted);
        memcpy(wanted, &plain, sizeof plain);
        wanted->c_ispeed = wanted->c_ospeed = 9600;
    }
    return status;
}
