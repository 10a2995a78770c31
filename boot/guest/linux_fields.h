/* Offsets of fields in a kernel file and in boot_params, with the names of Linux's boot.rst and zero-page.rst. */
#ifndef BOOT_GUEST_LINUX_FIELDS_H
#define BOOT_GUEST_LINUX_FIELDS_H

/* The setup header, at 1F1H in the kernel file and in boot_params. */
enum setup_header {
    SETUP_HEADER = 0x1f1,
    SETUP_SECTS = 0x1f1,
    SYSSIZE = 0x1f4, /* in units of 16 bytes */
    VID_MODE = 0x1fa,
    BOOT_FLAG = 0x1fe,
    JUMP_OFFSET = 0x201, /* the header ends at 202H + this byte */
    HEADER_MAGIC = 0x202,
    PROTOCOL_VERSION = 0x206,
    KERNEL_VERSION = 0x20e,
    TYPE_OF_LOADER = 0x210,
    LOADFLAGS = 0x211,
    CODE32_START = 0x214,
    RAMDISK_IMAGE = 0x218,
    RAMDISK_SIZE = 0x21c,
    CMD_LINE_PTR = 0x228,
    INITRD_ADDR_MAX = 0x22c,
    KERNEL_ALIGNMENT = 0x230,
    RELOCATABLE_KERNEL = 0x234,
    CMDLINE_SIZE = 0x238,
    SETUP_DATA = 0x250,
    PREF_ADDRESS = 0x258,
    INIT_SIZE = 0x260,
    SETUP_HEADER_MIN_END = 0x264,
    SETUP_HEADER_MAX_END = 0x290 /* the end of its room in boot_params */
};

/* The rest of boot_params. */
enum zero_page {
    ORIG_VIDEO_MODE = 0x06,
    ORIG_VIDEO_COLS = 0x07,
    ORIG_VIDEO_LINES = 0x0e,
    ORIG_VIDEO_IS_VGA = 0x0f,
    ORIG_VIDEO_POINTS = 0x10,
    LFB_WIDTH = 0x12,
    LFB_HEIGHT = 0x14,
    LFB_DEPTH = 0x16,
    LFB_BASE = 0x18,
    LFB_SIZE = 0x1c,
    LFB_LINELENGTH = 0x24,
    LFB_RED_SIZE = 0x26, /* then red_pos, and the same for green, blue, reserved */
    VESA_PAGES = 0x32,
    CAPABILITIES = 0x36,
    EXT_LFB_BASE = 0x3a,
    ACPI_RSDP_ADDR = 0x70,
    EFI_LOADER_SIGNATURE = 0x1c0,
    EFI_SYSTAB = 0x1c4,
    EFI_MEMDESC_SIZE = 0x1c8,
    EFI_MEMDESC_VERSION = 0x1cc,
    EFI_MEMMAP = 0x1d0,
    EFI_MEMMAP_SIZE = 0x1d4,
    EFI_SYSTAB_HI = 0x1d8,
    E820_ENTRIES = 0x1e8,
    E820_TABLE = 0x2d0
};

#define LINUX_E820_MAX 128u /* entries in boot_params */

/* An element of the list at SETUP_DATA. */
enum setup_data { SETUP_DATA_NEXT = 0, SETUP_DATA_TYPE = 8, SETUP_DATA_LENGTH = 12, SETUP_DATA_SIZE = 16 };
#define SETUP_E820_EXT 1u /* its type: more entries of the E820 table */

#endif
