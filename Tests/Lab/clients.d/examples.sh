# The examples that BlueZ ships (Debian: bluez-test-scripts), on python3-dbus and gi.
examples=${BLUEZ_EXAMPLES:-/usr/share/doc/bluez-test-scripts/examples}
[ -e "$examples/test-device" ] && /usr/bin/python3 -c "import dbus, gi" 2>/dev/null || exit 77
device=C0:FF:EE:00:00:01
cd "$examples" || exit 77
run() {
  echo "--- $*"
  timeout 8 /usr/bin/python3 -W ignore "$@" 2>&1
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
timeout 4 /usr/bin/python3 -W ignore -u test-discovery -t le 2>&1 | sort -u
run test-device list
run test-device connect $device
sleep 2
run test-device list
for each in class name alias trusted blocked; do
  run test-device $each $device
done
run test-device alias $device "a b"
run test-device alias $device
run test-device trusted $device yes
run test-device trusted $device
run test-device blocked $device 1
sleep 1
run test-device blocked $device 0
run test-device connect $device
sleep 2
timeout 4 /usr/bin/python3 -W ignore -u example-gatt-client 2>&1 | head -4 | sed 's/HR: .*/HR/'
run test-device disconnect $device
sleep 1
run test-device remove $device
run test-device list
run test-device connect $device
run test-adapter powered off
run test-adapter powered
run test-adapter powered on
exit 0
