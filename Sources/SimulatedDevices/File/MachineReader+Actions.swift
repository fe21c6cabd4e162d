// What a machine does, in a device file.

import Bluetooth
import Documents

extension MachineReader {
  /// The keys that say what is done.
  static let kinds = ["set", "notify", "let", "append", "crc32", "disconnect", "restart"]

  /// - Parameter written: The node of the characteristic that actions without `on` are about.
  mutating func actions(
    _ node: Node?,
    _ names: KnownNames,
    written: Node?
  ) -> [MachineAction] {
    let nodes = node?.mapping == nil ? nil : node.map { [$0] }
    return (nodes ?? reader.list(node, "actions", atMost: FileLimits.responses))
      .flatMap { action($0, names, written: written) }
  }

  private mutating func action(
    _ node: Node,
    _ names: KnownNames,
    written: Node?
  ) -> [MachineAction] {
    let given = (node.mapping ?? []).filter { Self.kinds.contains($0.key) }
    guard let entry = given.first, given.count == 1 else {
      var keys = MappingReader(node)
      for key in Self.kinds + ["on", "after"] { _ = keys.optional(key) }
      let unknown = keys.finish()
      reader.problems += unknown
      if unknown.isEmpty {
        let all = Self.kinds.joined(separator: ", ")
        reader.problems.append(node.problem("nothing to be done", expected: "one of \(all)"))
      }
      return []
    }
    switch entry.key {
    case "set", "notify":
      return respond(node, entry, names, written: written)
    case "disconnect":
      return single(node, entry.key) { reader in
        reader.delay(entry.value, orWord: "now").map { .disconnect(after: $0) }
      }
    case "restart":
      return single(node, entry.key) { reader in
        reader.delay(entry.value, orWord: nil).map { .restart($0) }
      }
    default:
      var keys = MappingReader(node)
      _ = keys.optional(entry.key)
      reader.problems += keys.finish()
      return reader.entries(entry.value).compactMap { assignment($0, entry.key, names) }
    }
  }

  private mutating func respond(
    _ node: Node,
    _ entry: Node.Entry,
    _ names: KnownNames,
    written: Node?
  ) -> [MachineAction] {
    guard let action = reader.action(node, names) else { return [] }
    if action.characteristic == nil {
      guard let written else {
        reader.problems.append(
          node.problem("the key 'on' is missing", expected: "a characteristic")
        )
        return []
      }
      // What is written can be kept; whether it can be notified is another matter.
      if entry.key == "notify" { _ = reader.reference(written, .notify) }
    }
    return [.respond(action)]
  }

  private mutating func single(
    _ node: Node,
    _ key: String,
    _ read: (inout DeviceReader) -> MachineAction?
  ) -> [MachineAction] {
    var keys = MappingReader(node)
    _ = keys.optional(key)
    reader.problems += keys.finish()
    return read(&reader).map { [$0] } ?? []
  }

  private mutating func assignment(
    _ entry: Node.Entry,
    _ key: String,
    _ names: KnownNames
  ) -> MachineAction? {
    let word = Node(.scalar(entry.key, isPlain: true), at: entry.keyPlace, path: entry.value.path)
    guard variables.contains(where: { $0.name == entry.key }) else {
      let fit = KnownNames(variables)
      _ = reader.known(word, key == "append" ? .octets : .number, fit)
      return nil
    }
    let kind = names.kind(of: entry.key)
    switch (key, kind) {
    case ("let", .number?):
      return reader.expression(entry.value, names).map { .number(entry.key, $0) }
    case ("let", .octets?):
      return reader.template(entry.value, names).map { .octets(entry.key, $0) }
    case ("append", _):
      let isFit = reader.known(word, .octets, names) != nil
      let value = reader.template(entry.value, names)
      return isFit ? value.map { .append(entry.key, $0) } : nil
    default:
      let isFit = reader.known(word, .number, names) != nil
      let value = reader.template(entry.value, names)
      return isFit ? value.map { .checksum(entry.key, $0) } : nil
    }
  }
}

extension DeviceReader {
  /// A duration, or a word that means at once.
  fileprivate mutating func delay(_ node: Node, orWord word: String?) -> Duration? {
    if let word, node.text == word { return .zero }
    if let delay = node.duration, FileLimits.delay.contains(delay) { return delay }
    let expected = "a duration from 0s to 1h" + (word.map { ", or \($0)" } ?? "")
    problems.append(node.problem("\(shown(node)) stands here", expected: expected))
    return nil
  }

  /// The machines of a device.
  mutating func machines(_ node: Node?) -> [MachineDefinition] {
    list(node, "machines", atMost: FileLimits.machines).map { node in
      var machine = MachineReader(self)
      defer { self = machine.reader }
      return machine.machine(node)
    }
  }
}
