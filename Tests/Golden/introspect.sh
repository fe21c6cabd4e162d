# introspect.sh DEFINITION DEVICE: what org.bluez says of its objects to a client that connected.
# Run by `blerun simulate`, which sets the address of the bus.
blerun run -d "$1" -e connect --keep --no-journal >/dev/null 2>&1
describe() {
  dbus-send --system --print-reply=literal --dest=org.bluez "$1" org.freedesktop.DBus.Introspectable.Introspect >"$T/xml"
  echo "-- $1"
  sed 's/></>\n</g' "$T/xml" | grep -v -e '^ *$' -e DOCTYPE -e 'www.freedesktop.org' -e '^</.*>$' | sed 's/^<arg/  <arg/'
  for node in $(sed -n 's/.*<node name="\([^"]*\)".*/\1/p' "$T/xml"); do describe "${1%/}/$node"; done
}
describe /
