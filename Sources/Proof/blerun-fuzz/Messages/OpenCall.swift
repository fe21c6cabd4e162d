// A pending call, and the reason why bluetoothd may not answer it.

import DBus

/// A pending call of a client.
struct OpenCall {
  /// The reason why no reply is required.
  enum Silence: Comparable {
    /// bluetoothd answers when the link ends, not before: Pair of a paired device.
    case untilLinkEnds
    /// bluetoothd never answers.
    case forEver
  }

  let path: String
  let member: String
  /// The device of the call's path.
  let device: String?
  private(set) var silence: Silence?

  init(_ call: Message) {
    path = call.path?.text ?? "?"
    member = call.member ?? "?"
    device = Self.device(in: path)
  }

  /// The device part of a path.
  static func device(in path: String) -> String? {
    let elements = path.split(separator: "/", omittingEmptySubsequences: false)
    guard elements.count >= 5, elements[4].hasPrefix("dev_") else { return nil }
    return elements.prefix(5).joined(separator: "/")
  }

  mutating func excuse(_ silence: Silence) { self.silence = max(silence, self.silence ?? silence) }

  /// True if the call sends the device a request that may require a key.
  var isRequest: Bool {
    ["ReadValue", "WriteValue", "StartNotify", "AcquireNotify"].contains(member)
  }

  /// True if the call gets no reply when its device is removed meanwhile.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  var isForgottenWithDevice: Bool { member == "Connect" || member == "ConnectProfile" }
}
