// A count with its noun, and a device with its name and address.

/// A count with its noun: `1 device`, `3 devices`.
///
/// - Parameter noun: The singular; the plural adds an s.
package func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}

/// The title of a device: its name and its address.
package enum DeviceTitle {
  /// Joins name and address, `Door-7 (C0:FF:EE:00:00:07)`; only `device` if there is no other name.
  package static func text(_ device: String, name: String?) -> String {
    guard let name, !name.isEmpty, name != device else { return device }
    return "\(name) (\(device))"
  }
}
