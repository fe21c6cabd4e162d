// A call that is not answered yet, and why bluetoothd may leave it so.

import DBus

/// One call of a client.
struct OpenCall {
  /// Why an answer is not owed.
  enum Silence: Comparable {
    /// bluetoothd answers it when the link ends, and not before: Pair, of a device that is paired.
    case untilLinkEnds
    /// It never answers it.
    case forEver
  }

  let path: String
  let member: String
  /// The device that it is for.
  let device: String?
  private(set) var silence: Silence?

  init(_ call: Message) {
    path = call.path?.text ?? "?"
    member = call.member ?? "?"
    device = Self.device(in: path)
  }

  /// The device's part of a path.
  static func device(in path: String) -> String? {
    let elements = path.split(separator: "/", omittingEmptySubsequences: false)
    guard elements.count >= 5, elements[4].hasPrefix("dev_") else { return nil }
    return elements.prefix(5).joined(separator: "/")
  }

  mutating func excuse(_ silence: Silence) { self.silence = max(silence, self.silence ?? silence) }

  /// Whether it asks the device for something that may want a key.
  var isRequest: Bool {
    ["ReadValue", "WriteValue", "StartNotify", "AcquireNotify"].contains(member)
  }

  /// Whether the call gets no reply when its device is removed meanwhile.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  var isForgottenWithDevice: Bool { member == "Connect" || member == "ConnectProfile" }
}
