// Device1.Icon: the desktop icon of a device, derived from its appearance.

extension KnownDevice {
  /// The name of the icon; nil when bluetoothd has none for the appearance, or the appearance is
  /// unknown.
  ///
  /// The upper ten bits of an appearance are its category, the others its subcategory.
  ///
  /// - Source: BlueZ 5.66, `src/device.c` (get_icon), `src/dbus-common.c` (gap_appearance_to_icon).
  var icon: String? {
    guard let appearance, appearance != 0 else { return nil }
    switch (appearance >> 6, appearance & 0x3f) {
    case (0x00, _): return "unknown"
    case (0x01, _): return "phone"
    case (0x02, _): return "computer"
    case (0x03, _): return "watch"
    case (0x05, _): return "video-display"
    case (0x0a, _): return "multimedia-player"
    case (0x0b, _), (0x0f, 0x08): return "scanner"
    case (0x0f, 0x01): return "input-keyboard"
    case (0x0f, 0x02): return "input-mouse"
    case (0x0f, 0x03), (0x0f, 0x04): return "input-gaming"
    case (0x0f, 0x05): return "input-tablet"
    default: return nil
    }
  }
}
