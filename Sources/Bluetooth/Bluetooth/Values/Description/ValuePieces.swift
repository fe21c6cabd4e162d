// Joins the notifications of a value that comes in pieces.
//
// Times, gaps and the end of a subscription are those of a step: JoinedPieces.

/// The octets of the values of one description, up to the first that is not complete.
///
/// Decoding goes on where the octets ended, so that the time is that of their number, however many
/// notifications they came in.
package struct ValuePieces {
  /// The most octets of a value in pieces.
  package static let longest = 65_536

  private let description: ValueDescription
  private var reader = OctetReader([], isOpen: true)

  /// Creates an empty joiner; nil for values that come in one notification each.
  package init?(of description: ValueDescription) {
    guard description.isInPieces else { return nil }
    self.description = description
  }

  /// The octets of the value that is not complete; empty between values.
  package var rest: [UInt8] { reader.octets }

  /// Adds a notification.
  ///
  /// - Returns: The values that it completes, and in their order the octets that are no value.
  package mutating func add(_ piece: [UInt8]) -> [[UInt8]] {
    reader.append(piece)
    var found: [[UInt8]] = []
    while let count = count() {
      let octets = reader.octets
      found.append(Array(octets.prefix(count)))
      reader = OctetReader(Array(octets.dropFirst(count)), isOpen: true)
    }
    return found
  }

  /// Ends the value that is not complete.
  ///
  /// - Returns: Its octets; nil between values.
  package mutating func cutOff() -> [UInt8]? {
    defer { reader = OctetReader([], isOpen: true) }
    return rest.isEmpty ? nil : rest
  }

  /// The number of octets of the first value, or of those that are none, because the constant with
  /// which a value begins is behind them; nil while the value is not complete.
  private mutating func count() -> Int? {
    guard !reader.octets.isEmpty, !reader.isShort else { return nil }
    let start = description.layout.leadingConstant
    guard Self.begins(reader.octets[...], with: start) else {
      return Self.next(start, in: reader.octets)
    }
    do {
      _ = try description.layout.fields(&reader, FieldScope(inside: nil))
      let count = max(1, reader.position)
      if reader.hasOpenChecks { _ = try description.layout.decode(Array(reader.octets[..<count])) }
      return count
    } catch {
      if reader.isShort, reader.needed <= Self.longest { return nil }
      return Self.next(start, in: reader.octets)
    }
  }

  /// The index behind the first octet at which a value may begin; the end if there is none.
  private static func next(_ start: [UInt8], in octets: [UInt8]) -> Int {
    guard !start.isEmpty else { return octets.count }
    return octets.indices.dropFirst().first { begins(octets[$0...], with: start) } ?? octets.count
  }

  /// Whether octets begin with a constant, or with as much of it as there are octets.
  private static func begins(_ octets: ArraySlice<UInt8>, with start: [UInt8]) -> Bool {
    zip(octets, start).allSatisfy { $0 == $1 }
  }
}
