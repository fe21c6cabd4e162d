# The examples that BlueZ ships (Debian: bluez-test-scripts), on python3-dbus and gi.
examples=${BLUEZ_EXAMPLES:-/usr/share/doc/bluez-test-scripts/examples}
[ -e "$examples/test-device" ] && /usr/bin/python3 -c "import dbus, gi" 2>/dev/null || exit 77
device=/org/bluez/hci0/dev_C0_FF_EE_00_00_01
. "$(dirname "$0")/waiting"
address=C0:FF:EE:00:00:01
cd "$examples" || exit 77
run() {
  echo "--- $*"
  timeout 60 /usr/bin/python3 -W ignore "$@" 2>&1
  echo "status $?"
}
for each in list address name alias powered pairable pairabletimeout discoverable \
  discoverabletimeout discovering; do
  run test-adapter $each
done
run test-adapter alias "desk lamp"
run test-adapter alias
run test-adapter alias ""
run test-adapter discoverable on
run test-adapter discoverable
run test-adapter discoverable off
run test-adapter discoverabletimeout 60
timeout 8 /usr/bin/python3 -W ignore -u test-discovery -t le 2>&1 | sort -u
run test-device list
run test-device connect $address
await_services
run test-device list
for each in class name alias trusted blocked; do
  run test-device $each $address
done
run test-device alias $address "a b"
run test-device alias $address
run test-device trusted $address yes
run test-device trusted $address
run test-device blocked $address 1
sleep 2
run test-device blocked $address 0
run test-device connect $address
await_services
timeout 8 /usr/bin/python3 -W ignore -u example-gatt-client 2>&1 | head -4 | sed 's/HR: .*/HR/'
run test-device disconnect $address
sleep 1
run test-device remove $address
run test-device list
run test-device connect $address
run test-adapter powered off
run test-adapter powered
run test-adapter powered on
exit 0
