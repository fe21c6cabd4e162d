# busctl: the tree, introspection of all kinds of objects, properties, and calls that cannot be.
command -v busctl >/dev/null || exit 77
device=/org/bluez/hci0/dev_C0_FF_EE_00_00_01
. "$(dirname "$0")/waiting"
props="busctl --system get-property org.bluez"
find_device
busctl --system call org.bluez $device org.bluez.Device1 Connect
await_services
busctl --system tree org.bluez --list
busctl --system introspect org.bluez /org/bluez/hci0
busctl --system introspect org.bluez $device
for each in $(busctl --system tree org.bluez --list | grep -v 'service0006/char000[ac]$' |
  grep -E '/(service|char|desc)[0-9a-f]{4}$'); do
  busctl --system introspect org.bluez "$each"
done
$props $device org.bluez.Device1 Connected UUIDs Name
busctl --system set-property org.bluez $device org.bluez.Device1 Alias s "x y"
$props $device org.bluez.Device1 Alias
busctl --system set-property org.bluez $device org.bluez.Device1 Connected b true 2>&1
$props $device org.bluez.Device1 Nothing 2>&1
busctl --system call org.bluez $device org.bluez.Device1 Nothing 2>&1
busctl --system call org.bluez /nowhere org.bluez.Device1 Connect 2>&1
exit 0
