// How much one message may hold: it is refused before its values are copied.
//
// Pure values. MessageReader counts.

/// The limits on what a message received through libdbus may hold.
///
/// Far above what bluetoothd sends, and far below what would fill the memory of this host: an
/// attribute value has at most 512 octets, an advertisement at most 1650.
package struct ReadLimits: Hashable, Sendable {
  /// The maximum length of an array of bytes or a text, in octets.
  package var element = 1 << 17
  /// How many octets one variant may hold: one property of an object.
  package var variant = 1 << 17
  /// How many octets all arrays of bytes and texts of a reply may have: one that lists all objects.
  package var reply = 1 << 25
  /// The same for a signal or a call.
  package var signal = 1 << 20
  /// How many values a message may have, those inside others included.
  package var values = 1 << 20

  /// The limits for an ordinary bus.
  package init() {}

  /// The maximum length of a message on the wire, in octets; libdbus ends the connection at a longer
  /// one. It is that of the system bus.
  /// - Source: dbus-daemon(1), max_message_size.
  static let messageOctets = 1 << 25
}

/// What is left of the limits while one message is read.
struct ReadBudget {
  private let limits: ReadLimits
  private var octets: Int
  private var values: Int
  /// What is left of the present variant; nil outside one.
  private var variant: Int?

  init(_ limits: ReadLimits, isReply: Bool) {
    self.limits = limits
    octets = isReply ? limits.reply : limits.signal
    values = limits.values
  }

  /// A value is about to be read.
  mutating func countValue() throws(DBusError) {
    values -= 1
    if values < 0 { throw .tooLarge("it has more than \(limits.values) values") }
  }

  /// An array of bytes or a text is about to be copied.
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

  /// Reads the inside of a variant; one inside another belongs to that.
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
  /// A message of another program was refused because of its size.
  fileprivate static func tooLarge(_ reason: String) -> DBusError {
    DBusError(name: .messageTooLarge, message: reason)
  }
}
