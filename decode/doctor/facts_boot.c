/* Facts about how the machine starts: GRUB and its module multiboot2, who makes the menu, the space in /boot. */
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "decode/doctor/facts_parts.h"
#include "decode/doctor/tree.h"

#define EFIVARS "/sys/firmware/efi/efivars/"
/* Set by the boot loader that started the system (the Boot Loader Interface), in UTF-16. */
#define LOADER_INFO EFIVARS "LoaderInfo-4a67b082-0a4c-47cf-b6c7-442aa0b8bfb1"
/* Set by shim. */
#define MOK_LIST EFIVARS "MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23"

static bool first_of(char *out, size_t size, const char *root, const char *const *paths, size_t nr_paths)
{
    out[0] = 0;
    for (size_t i = 0; i < nr_paths && !out[0]; i++)
        if (tree_exists(root, paths[i]))
            snprintf(out, size, "%s", paths[i]);
    return out[0] != 0;
}
#define FIRST_OF(out, root, ...)                                                                                       \
    first_of(out, sizeof(out), root, (const char *const[]){__VA_ARGS__},                                               \
             sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Whether a text file has a line that begins with these words. */
static bool has_line(const char *root, const char *path, const char *start)
{
    char line[512];
    bool found = false;
    FILE *file = tree_open(root, path);
    while (file && !found && fgets(line, sizeof(line), file))
        found = !strncmp(line, start, strlen(start));
    if (file)
        fclose(file);
    return found;
}

/* Whether the loader says that it is systemd-boot: the variable's 4 bytes of attributes, then UTF-16. */
static bool loader_is_systemd_boot(const char *root)
{
    static const char name[] = "systemd-boot";
    char bytes[4 + 2 * (sizeof(name) - 1)];
    FILE *file = tree_open(root, LOADER_INFO);
    const size_t length = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
    if (file)
        fclose(file);
    if (length < sizeof(bytes))
        return false;
    for (size_t i = 0; i < sizeof(name) - 1; i++)
        if (bytes[4 + 2 * i] != name[i] || bytes[5 + 2 * i] != 0)
            return false;
    return true;
}

/* The disk and the number of a partition: of "/dev/nvme0n1p2" and "/dev/sda2". false: the name has another form. */
static bool split_partition(struct facts_boot *boot, const char *device)
{
    size_t end = strlen(device);
    while (end > 0 && device[end - 1] >= '0' && device[end - 1] <= '9')
        end--;
    if (end < 2 || sscanf(device + end, "%u", &boot->esp_partition) != 1)
        return false;
    if (device[end - 1] == 'p' && device[end - 2] >= '0' && device[end - 2] <= '9')
        end--;
    return snprintf(boot->esp_disk, sizeof(boot->esp_disk), "%.*s", (int)end, device) < (int)sizeof(boot->esp_disk);
}

static void read_esp_device(struct facts_boot *boot, const char *root)
{
    char line[512], device[64], point[64];
    FILE *file = tree_open(root, "/proc/self/mounts");
    while (file && !boot->esp_disk[0] && fgets(line, sizeof(line), file))
        if (sscanf(line, "%63s %63s", device, point) == 2 && !strcmp(point, boot->esp) && device[0] == '/' &&
            !split_partition(boot, device))
            boot->esp_disk[0] = 0;
    if (file)
        fclose(file);
}

static void read_loader(struct facts_boot *boot, const char *root)
{
    char path[128];
    if (FIRST_OF(path, root, "/boot/efi/EFI", "/efi/EFI", "/boot/EFI"))
        snprintf(boot->esp, sizeof(boot->esp), "%.*s", (int)(strlen(path) - strlen("/EFI")), path);
    read_esp_device(boot, root);
    boot->systemd_boot = loader_is_systemd_boot(root) ||
                         (boot->menu[0] == 0 && FIRST_OF(path, root, "/boot/loader/loader.conf",
                                                         "/efi/loader/loader.conf", "/boot/efi/loader/loader.conf"));
    boot->shim = tree_exists(root, MOK_LIST);
}

/* Where GRUB loads modules from, and where the package of GRUB keeps those that are not copied there. */
static void read_module(struct facts_boot *boot, bool efi, const char *root)
{
    uint64_t bits = 64;
    tree_number(&bits, root, "/sys/firmware/efi/fw_platform_size");
    boot->platform = !efi ? "i386-pc" : bits == 32 ? "i386-efi" : "x86_64-efi";
    static const char *const live[] = {"/boot/grub", "/boot/grub2"};
    static const char *const kept[] = {"/usr/lib/grub", "/usr/share/grub2", "/usr/lib/grub2"};
    char path[128];
    for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s/multiboot2.mod", live[i], boot->platform);
        if (!boot->module[0] && tree_exists(root, path))
            snprintf(boot->module, sizeof(boot->module), "%s", path);
    }
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s/multiboot2.mod", kept[i], boot->platform);
        if (!boot->module_kept[0] && tree_exists(root, path))
            snprintf(boot->module_kept, sizeof(boot->module_kept), "%s/%s", kept[i], boot->platform);
    }
}

static void read_menu(struct facts_boot *boot, const char *root)
{
    char path[128], names[1][TREE_NAME_MAX];
    FIRST_OF(boot->menu, root, "/boot/grub2/grub.cfg", "/boot/grub/grub.cfg");
    if (FIRST_OF(path, root, "/usr/sbin/update-grub", "/sbin/update-grub", "/usr/bin/update-grub"))
        boot->maker = MENU_UPDATE_GRUB;
    else if (FIRST_OF(path, root, "/usr/sbin/grub2-mkconfig", "/usr/bin/grub2-mkconfig", "/sbin/grub2-mkconfig"))
        boot->maker = MENU_GRUB2_MKCONFIG;
    else if (FIRST_OF(path, root, "/usr/sbin/grub-mkconfig", "/usr/bin/grub-mkconfig", "/sbin/grub-mkconfig"))
        boot->maker = MENU_GRUB_MKCONFIG;
    boot->saved_default = has_line(root, "/etc/default/grub", "GRUB_DEFAULT=saved");
    boot->bls = has_line(root, "/etc/default/grub", "GRUB_ENABLE_BLSCFG=true") &&
                tree_names(names, 1, root, "/boot/loader/entries", "") > 0;
    boot->debian = tree_exists(root, "/etc/debian_version");
    boot->image = tree_exists(root, "/boot/undertrace.elf");
    boot->script = tree_exists(root, "/etc/grub.d/25_undertrace");
    boot->in_menu = boot->menu[0] && has_line(root, boot->menu, "submenu 'Undertrace'");
}

/* Of this machine, by the system; of another one, from what `df -kP /boot` has printed there, in DIR/boot.df. */
static void read_space(struct facts_boot *boot, const char *root)
{
    char line[512];
    unsigned long long kib;
    struct statvfs fs;
    FILE *file = NULL;
    if (!strcmp(root, "/")) {
        boot->space_known = statvfs("/boot", &fs) == 0;
        boot->free_bytes = boot->space_known ? (uint64_t)fs.f_bavail * fs.f_frsize : 0;
    } else if ((file = tree_open(root, "/boot.df"))) {
        while (fgets(line, sizeof(line), file))
            if (sscanf(line, "%*s %*u %*u %llu", &kib) == 1)
                boot->space_known = true, boot->free_bytes = kib << 10;
        fclose(file);
    }
}

void facts_read_boot(struct facts_boot *boot, bool efi, const char *root)
{
    read_menu(boot, root);
    read_loader(boot, root);
    read_module(boot, efi, root);
    read_space(boot, root);
    if (!boot->module[0] && boot->module_kept[0])
        boot->module_bytes = tree_bytes(root, boot->module_kept);
}
