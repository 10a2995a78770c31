/*
 * Numbers of UEFI: offsets in its tables and protocols, GUIDs, types. Structures are read by offset, as their pointers
 * are physical addresses.
 *
 * Source: UEFI Specification 2.10, sections 4.3 "EFI System Table", 4.4 "EFI Boot Services Table", 7 "Services - Boot
 * Services", 9.1 "EFI Loaded Image Protocol", 12.9 "Graphics Output Protocol", 13.4 "Simple File System Protocol"; UEFI
 * Platform Initialization Specification 1.8, Vol. 2, 13.4 "MP Services Protocol".
 */
#ifndef BOOT_EFI_EFI_H
#define BOOT_EFI_EFI_H

#include <stdint.h>

#define EFI_ERROR_BIT (1ull << 63)
#define EFI_SUCCESS 0ull
#define EFI_UNSUPPORTED (EFI_ERROR_BIT | 3)
#define EFI_ABORTED (EFI_ERROR_BIT | 21)

#define EFI_PAGE_SIZE 4096u

enum efi_system_table { SYSTEM_TABLE_BOOT_SERVICES = 96, SYSTEM_TABLE_NR_TABLES = 104, SYSTEM_TABLE_TABLES = 112 };
#define CONFIGURATION_TABLE_SIZE 24u
#define CONFIGURATION_TABLE_POINTER 16u

enum efi_boot_service {
    BOOT_ALLOCATE_PAGES = 40,
    BOOT_FREE_PAGES = 48,
    BOOT_GET_MEMORY_MAP = 56,
    BOOT_HANDLE_PROTOCOL = 152,
    BOOT_LOCATE_HANDLE = 176,
    BOOT_LOAD_IMAGE = 200,
    BOOT_START_IMAGE = 208,
    BOOT_EXIT_BOOT_SERVICES = 232,
    BOOT_DISCONNECT_CONTROLLER = 272,
    BOOT_LOCATE_PROTOCOL = 320,
    BOOT_CALCULATE_CRC32 = 344
};

/* EFI_TABLE_HEADER */
enum efi_table_header { HEADER_SIZE = 12, HEADER_CRC32 = 16 };

enum { ALLOCATE_ADDRESS = 2, LOCATE_BY_PROTOCOL = 2 };

enum efi_memory {
    EFI_RESERVED_MEMORY_TYPE = 0,
    EFI_LOADER_CODE = 1,
    EFI_LOADER_DATA = 2,
    EFI_BOOT_SERVICES_CODE = 3,
    EFI_BOOT_SERVICES_DATA = 4,
    EFI_CONVENTIONAL_MEMORY = 7,
    EFI_UNUSABLE_MEMORY = 8,
    EFI_ACPI_RECLAIM_MEMORY = 9,
    EFI_ACPI_MEMORY_NVS = 10
};

enum efi_loaded_image {
    LOADED_IMAGE_DEVICE = 24,
    LOADED_IMAGE_FILE_PATH = 32,
    LOADED_IMAGE_OPTIONS_SIZE = 48,
    LOADED_IMAGE_OPTIONS = 56
};

enum efi_graphics_output { GRAPHICS_MODE = 24 };
enum efi_graphics_mode { MODE_INFORMATION = 8, MODE_FRAMEBUFFER = 24 };
enum efi_mode_information {
    INFORMATION_WIDTH = 4,
    INFORMATION_HEIGHT = 8,
    INFORMATION_FORMAT = 12,
    INFORMATION_PITCH = 32 /* in pixels */
};
enum { PIXELS_RGB = 0, PIXELS_BGR = 1 };

enum efi_mp_service { MP_GET_NUMBER = 0, MP_GET_INFORMATION = 8, MP_STARTUP_ALL = 16, MP_WHO_AM_I = 48 };
enum efi_processor_information { PROCESSOR_ID = 0, PROCESSOR_STATUS = 8, PROCESSOR_INFORMATION_SIZE = 64 };
enum { PROCESSOR_IS_FIRST = 1, PROCESSOR_ENABLED = 2, PROCESSOR_HEALTHY = 4 };

enum efi_file { VOLUME_OPEN = 8, FILE_OPEN = 8, FILE_CLOSE = 16, FILE_READ = 32 };
#define FILE_MODE_READ 1u

enum { PCI_IO_GET_LOCATION = 112 };

struct efi_guid {
    uint32_t a;
    uint16_t b, c;
    uint8_t d[8];
};

#define EFI_ACPI_20_TABLE                                                                                              \
    ((struct efi_guid){0x8868e871, 0xe4f1, 0x11d3, {0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}})
#define EFI_ACPI_10_TABLE                                                                                              \
    ((struct efi_guid){0xeb9d2d30, 0x2d88, 0x11d3, {0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d}})
#define EFI_LOADED_IMAGE                                                                                               \
    ((struct efi_guid){0x5b1b31a1, 0x9562, 0x11d2, {0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}})
#define EFI_GRAPHICS_OUTPUT                                                                                            \
    ((struct efi_guid){0x9042a9de, 0x23dc, 0x4a38, {0x96, 0xfb, 0x7a, 0xde, 0xd0, 0x80, 0x51, 0x6a}})
#define EFI_MP_SERVICES                                                                                                \
    ((struct efi_guid){0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}})
#define EFI_DEVICE_PATH                                                                                                \
    ((struct efi_guid){0x09576e91, 0x6d3f, 0x11d2, {0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}})
#define EFI_SIMPLE_FILE_SYSTEM                                                                                         \
    ((struct efi_guid){0x964e5b22, 0x6459, 0x11d2, {0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}})
#define EFI_PCI_IO ((struct efi_guid){0x4cf5b200, 0x68b8, 0x4ca5, {0x9e, 0xec, 0xb2, 0x3e, 0x3f, 0x50, 0x02, 0x9a}})

#endif
