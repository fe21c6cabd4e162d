// The way in which a client receives new values: notifications or indications.

/// The subscription that a Client Characteristic Configuration requests.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part G §3.3.3.3.
public enum SubscriptionMode: Sendable, Hashable {
  /// Notifications, which are not confirmed.
  case notification
  /// Indications, each of which is confirmed.
  case indication

  /// The two octets of the configuration; zero for nil.
  static func configuration(of mode: SubscriptionMode?) -> [UInt8] {
    switch mode {
    case .notification: [1, 0]
    case .indication: [2, 0]
    case nil: [0, 0]
    }
  }
}
