// Limits on the size of received messages, checked before their values are copied.
//
// Pure values. MessageReader counts.

/// The limits on a message received through libdbus.
///
/// Far above the messages of bluetoothd, and far below the memory of a host: an attribute value has
/// at most 512 bytes, an advertisement at most 1650.
package struct ReadLimits: Hashable, Sendable {
  /// The maximum length of a byte array or a text, in bytes.
  package var element = 1 << 17
  /// The maximum size of one variant, such as one property of an object, in bytes.
  package var variant = 1 << 17
  /// The maximum size of all byte arrays and texts of a reply, such as a list of all objects, in
  /// bytes.
  package var reply = 1 << 25
  /// The maximum size of all byte arrays and texts of a signal or a call, in bytes.
  package var signal = 1 << 20
  /// The maximum number of values in a message, including nested ones.
  package var values = 1 << 20

  /// The limits for an ordinary bus.
  package init() {}

  /// The maximum length of a message on the wire, in bytes, as on the system bus; libdbus closes
  /// the connection at a longer one.
  ///
  /// - Source: dbus-daemon(1), max_message_size.
  static let messageOctets = 1 << 25
}

/// The remaining limits while one message is read.
struct ReadBudget {
  private let limits: ReadLimits
  private var octets: Int
  private var values: Int
  /// The remaining bytes of the current variant; nil outside one.
  private var variant: Int?

  init(_ limits: ReadLimits, isReply: Bool) {
    self.limits = limits
    octets = isReply ? limits.reply : limits.signal
    values = limits.values
  }

  /// Counts a value that is about to be read.
  mutating func countValue() throws(DBusError) {
    values -= 1
    if values < 0 { throw .tooLarge("it has more than \(limits.values) values") }
  }

  /// Counts a byte array or a text that is about to be copied.
  mutating func count(octets count: Int, of kind: String) throws(DBusError) {
    guard count <= limits.element else {
      throw .tooLarge("it has \(kind) of \(count) bytes, at most \(limits.element) are expected")
    }
    octets -= count
    guard octets >= 0 else { throw .tooLarge("its values are too long together") }
    guard let left = variant else { return }
    variant = left - count
    guard left >= count else {
      throw .tooLarge("a property has more than \(limits.variant) bytes")
    }
  }

  /// Reads the content of a variant. Nested variants count towards the outermost one.
  mutating func insideVariant<R>(
    _ body: (inout ReadBudget) throws(DBusError) -> R
  ) throws(DBusError) -> R {
    guard variant == nil else { return try body(&self) }
    variant = limits.variant
    defer { variant = nil }
    return try body(&self)
  }
}

extension DBusError {
  /// The error of a message refused because of its size.
  fileprivate static func tooLarge(_ reason: String) -> DBusError {
    DBusError(name: .messageTooLarge, message: reason)
  }
}
