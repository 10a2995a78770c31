/*
 * Included first in every file of kind init, which are compiled without LTO (mk/hypervisor.mk). Without LTO the
 * compiler does not know that an external symbol is in the same image, and addresses it through the global offset
 * table. The linker relaxes such an access to a 32-bit immediate, which cannot hold an address of the image. Hidden
 * visibility makes the compiler use RIP-relative addresses.
 */
#pragma GCC visibility push(hidden)
