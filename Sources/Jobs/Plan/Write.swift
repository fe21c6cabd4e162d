// A write as a chain says it: what, where, how.

public import Bluetooth

/// A value and where it is written to.
public struct Write: Hashable, Sendable {
  /// The way of the value to bluetoothd.
  public enum Delivery: String, Hashable, Sendable, CaseIterable {
    /// As a call of the bus, `WriteValue`.
    case call
    /// As a command through a socket of this program's own, after `AcquireWrite`, which is given
    /// back when bluetoothd has taken it. Nobody else may write there meanwhile.
    case acquire
  }

  public var target: CharacteristicSelector
  public var value: WrittenValue
  public var kind: WriteKind
  /// The first octet of the attribute's value that is written.
  public var offset: Int
  public var delivery: Delivery

  public init(
    _ value: WrittenValue,
    to target: CharacteristicSelector,
    kind: WriteKind = .automatic,
    offset: Int = 0,
    delivery: Delivery = .call
  ) {
    self.target = target
    self.value = value
    self.kind = kind
    self.offset = offset
    self.delivery = delivery
  }
}

extension Write: CustomStringConvertible {
  /// In the one-line form, without the verb.
  public var description: String {
    var words = ["\(target)", "\(value)"]
    if kind != .automatic { words.append(kind.rawValue) }
    if offset != 0 { words.append("offset \(offset)") }
    if delivery != .call { words.append("delivery \(delivery.rawValue)") }
    return words.joined(separator: " ")
  }
}

extension Write {
  /// Why it cannot be done, whatever the device; nil where nothing is wrong.
  var contradiction: Complaint? {
    if delivery == .acquire, kind != .automatic, kind != .command {
      return Complaint(
        "what is acquired for writing takes commands alone",
        expected: "no \(kind.rawValue), or no 'delivery: acquire'"
      )
    }
    guard offset > 0 else { return nil }
    if kind == .command || delivery == .acquire {
      return Complaint(
        "a write without response carries no offset",
        expected: "a request, or no offset"
      )
    }
    let end = offset + value.octets.count
    guard end > WrittenValue.longest else { return nil }
    return Complaint(
      "the value would end at octet \(end), but an attribute has at most \(WrittenValue.longest)"
    )
  }
}
