// A count with its noun, and a device with its name and address.

/// `1 device`, `3 devices`.
///
/// - Parameter noun: The singular; the plural adds an s.
package func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}

/// Joins the name and the address of a device.
package enum DeviceTitle {
  /// `Door-7 (C0:FF:EE:00:00:07)`; only the first text for a device without another name.
  package static func text(_ device: String, name: String?) -> String {
    guard let name, !name.isEmpty, name != device else { return device }
    return "\(name) (\(device))"
  }
}
