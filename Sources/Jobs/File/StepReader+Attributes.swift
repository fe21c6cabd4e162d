// What the steps about attributes take.

import Bluetooth
import Documents

extension StepReader {
  /// The step for one of ``attributeVerbs``.
  mutating func attribute(_ verb: String, _ reader: inout MappingReader) -> Step? {
    switch verb {
    case "mtu": plain("mtu", .attribute(.mtu), .plain, &reader)
    case "connection-parameters":
      plain("connection-parameters", .attribute(.parameters), .ofTiming, &reader)
    case "services": link(.attribute(.services), &reader)
    case "read-descriptor": readDescriptor(&reader)
    default: writeDescriptor(&reader)
    }
  }

  static let attributeVerbs = [
    "mtu", "connection-parameters", "services", "read-descriptor", "write-descriptor",
  ]

  /// The `offset` of a read or a write; 0 when there is none.
  mutating func offset(_ reader: inout MappingReader) -> Int {
    let most = WrittenValue.longest
    return reader.optional("offset", expected: "the first octet, from 0 to \(most)") {
      $0.integer.flatMap { (0...most).contains($0) ? $0 : nil }
    } ?? 0
  }

  private mutating func readDescriptor(_ reader: inout MappingReader) -> Step? {
    let target = reader.optional("read-descriptor").flatMap { descriptor($0) }
    let format = format(&reader)
    let capture = capture(&reader)
    let node = reader.optional("expect")
    let timeout = timeout(&reader)
    guard let target else { return nil }
    return Step(
      .attribute(.readDescriptor(target, format: format)),
      capture: capture,
      expectations: expectations(node, .plain),
      timeout: timeout
    )
  }

  private mutating func writeDescriptor(_ reader: inout MappingReader) -> Step? {
    let target = reader.optional("write-descriptor").flatMap { descriptor($0) }
    let value = reader.required("value", expected: "a value such as { u8: 1 }").flatMap {
      self.value($0)
    }
    let timeout = timeout(&reader)
    guard let target, let value else { return nil }
    return Step(.attribute(.writeDescriptor(target, value)), timeout: timeout)
  }

  private mutating func descriptor(_ node: Node) -> DescriptorSelector? {
    guard let text = node.text else {
      let expected = "a descriptor such as battery-level/2901"
      complain(node, Complaint("\(node.shown) stands here", expected: expected))
      return nil
    }
    do {
      return try DescriptorSelector(parsing: text)
    } catch {
      complain(node, Complaint(error))
      return nil
    }
  }

  // MARK: Subscriptions

  /// `delivery`, `on-link-loss`, `buffer` and `overflow` of a `notify`.
  mutating func subscription(_ reader: inout MappingReader) -> SubscriptionOptions {
    var options = SubscriptionOptions()
    options.delivery = choice("delivery", &reader) ?? options.delivery
    options.onLinkLoss = choice("on-link-loss", &reader) ?? options.onLinkLoss
    let most = SubscriptionOptions.mostBuffered
    let buffer = reader.optional("buffer", expected: "how many values, from 1 to \(most)") {
      $0.integer.flatMap { (1...most).contains($0) ? $0 : nil }
    }
    options.buffer = buffer ?? options.buffer
    options.overflow = choice("overflow", &reader) ?? options.overflow
    return options
  }

  /// One of the words of a choice under `key`.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String,
    _ reader: inout MappingReader
  ) -> Choice? where Choice.RawValue == String {
    guard let node = reader.optional(key) else { return nil }
    if let choice = node.text.flatMap({ Choice(rawValue: $0) }) { return choice }
    let known = Choice.allCases.map(\.rawValue)
    complain(node, .unknown("\(node.shown) stands here", node.text ?? "", among: known))
    return nil
  }
}

extension SubscriptionOptions {
  /// The most values that a chain may ask to be buffered.
  static let mostBuffered = 1_000_000
}

extension Subjects {
  /// The names for a value that nothing is known of but its octets.
  static let plain = Subjects(
    of: CharacteristicSelector(handle: 1),
    format: nil,
    kind: .single
  )
}
