// A device for people, where output names it by its address.

/// Joins the name and the address of a device.
package enum DeviceTitle {
  /// `Door-7 (C0:FF:EE:00:00:07)`; only the first text for a device without another name.
  package static func text(_ device: String, name: String?) -> String {
    guard let name, !name.isEmpty, name != device else { return device }
    return "\(name) (\(device))"
  }
}
