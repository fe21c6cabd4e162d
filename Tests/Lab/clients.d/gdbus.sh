# gdbus and dbus-send: introspection of all objects, pairing without an agent, errors.
command -v gdbus >/dev/null && command -v dbus-send >/dev/null || exit 77
device=/org/bluez/hci0/dev_C0_FF_EE_00_00_01
. "$(dirname "$0")/waiting"
ask() { gdbus call --system --dest org.bluez --object-path "$1" --method "$2" "$3" 2>&1; }
find_device
gdbus call --system --dest org.bluez --object-path $device --method org.bluez.Device1.Connect
await_services
for each in $device $device/service0001; do
  gdbus introspect --system --dest org.bluez --object-path $each 2>&1
done
dbus-send --system --print-reply --dest=org.bluez $device org.freedesktop.DBus.Properties.GetAll \
  string:org.bluez.Battery1 2>&1 | grep -v sender
dbus-send --system --print-reply --dest=org.bluez $device org.freedesktop.DBus.Properties.GetAll \
  string:org.bluez.Nothing1 2>&1
ask /org/bluez org.bluez.AgentManager1.RegisterAgent /x
ask /org/bluez org.bluez.AgentManager1.RequestDefaultAgent /x
ask /org/bluez org.bluez.AgentManager1.UnregisterAgent /x
ask $device org.bluez.Device1.ConnectProfile 1800
ask $device org.bluez.Device1.Pair ""
gdbus call --system --dest org.bluez --object-path $device --method org.bluez.Device1.Pair 2>&1
gdbus call --system --dest org.bluez --object-path $device --method org.bluez.Device1.CancelPairing 2>&1
ask /org/bluez/hci0 org.bluez.Adapter1.RemoveDevice /nobody
ask /org/bluez/hci0 org.bluez.Adapter1.RemoveDevice $device
exit 0
