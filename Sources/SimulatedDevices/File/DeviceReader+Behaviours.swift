// Behaviours of a device file.

import Bluetooth
import Documents

extension DeviceReader {
  /// The behaviour among the keys of a characteristic; without one, an empty value that stays.
  mutating func behaviour(_ keys: inout MappingReader) -> Behaviour {
    let value = keys.optional("value")
    let moving = ["counter", "wave", "noise", "echo", "series", "responses", "follows"].compactMap {
      key in
      keys.optional(key).map { (key: key, node: $0) }
    }
    if let second = moving.dropFirst().first {
      problems.append(
        second.node.problem("'\(second.key)' and '\(moving[0].key)' are two behaviours at once")
      )
      return .constant([])
    }
    if let value, let other = moving.first, other.key != "responses" {
      problems.append(
        value.problem("'value' and '\(other.key)' are two behaviours at once")
      )
      return .constant([])
    }
    let initial = value.flatMap { octets($0) } ?? []
    guard let (key, node) = moving.first else { return .constant(initial) }
    switch key {
    case "counter": return .counter(counter(node))
    case "wave": return .wave(wave(node))
    case "noise": return .noise(noise(node))
    case "follows": return .follow(self.follower(node))
    case "series": return .series(series(node))
    case "responses": return .response(Response(initial: initial, rules: responses(node)))
    default:
      if node.truth != true {
        problems.append(node.problem("\(shown(node)) stands here", expected: "true"))
      }
      return .echo
    }
  }

  private mutating func counter(_ node: Node) -> Counter {
    var keys = MappingReader(node)
    let formats = ValueFormat.names.compactMap { ValueFormat($0) }
      .filter { Counter.range(of: $0) != nil }
    let names = formats.map(\.name).joined(separator: ", ")
    let format = keys.required("format", expected: "one of \(names)") { node in
      formats.first { $0.name == node.text }
    }
    let range = format.flatMap { Counter.range(of: $0) } ?? .min ... .max
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    func whole(_ node: Node) -> Int64? {
      node.integer.flatMap { range.contains(Int64($0)) ? Int64($0) : nil }
    }
    let from = keys.optional("from", expected: expected, whole)
    let to = keys.optional("to", expected: expected, whole)
    let step = keys.optional("step", expected: "a whole number other than 0") { node in
      node.integer.flatMap { $0 == 0 ? nil : Int64($0) }
    }
    let every = period(&keys, "every")
    let counter = Counter(
      format: format ?? formats[0],
      from: from ?? 0,
      to: to,
      step: step ?? 1,
      every: every,
      repeats: truth(&keys, "repeats") ?? true,
      beginsAtOnce: beginsAtOnce(&keys, isTimed: every != nil)
    )
    let found = keys.finish()
    problems += found
    if found.isEmpty, let to, counter.step > 0 ? to < counter.from : to > counter.from {
      problems.append(node.problem("steps of \(counter.step) lead away from \(to)"))
    }
    return counter
  }

  private mutating func wave(_ node: Node) -> Wave {
    var keys = MappingReader(node)
    let parts = keys.required("parts", expected: "a list such as [{ u8: { low: 1, high: 9 } }]")
      .map { self.parts($0) }
    let period = requiredPeriod(&keys, "period") ?? .seconds(1)
    let every = requiredPeriod(&keys, "every") ?? .seconds(1)
    let wave = Wave(
      parts: parts ?? [],
      period: period,
      every: every,
      noise: keys.optional("noise", expected: "a number from 0 to 1") { node in
        node.number.flatMap { (0...1).contains($0) ? $0 : nil }
      } ?? 0,
      beginsAtOnce: beginsAtOnce(&keys, isTimed: true)
    )
    problems += keys.finish()
    return wave
  }

  private mutating func noise(_ node: Node) -> Noise {
    var keys = MappingReader(node)
    let parts = keys.required("parts", expected: "a list such as [{ u8: { low: 1, high: 9 } }]")
      .map { self.parts($0) }
    let every = requiredPeriod(&keys, "every") ?? .seconds(1)
    let shape: Noise.Shape? = keys.optional("shape").flatMap { node in
      word(node, Noise.Shape.allCases.map(\.rawValue))
    }
    let noise = Noise(
      parts: parts ?? [],
      every: every,
      shape: shape ?? .even,
      beginsAtOnce: beginsAtOnce(&keys, isTimed: true)
    )
    problems += keys.finish()
    return noise
  }

  /// `follows: battery-level`, or `{ with: …, value: … }`.
  private mutating func follower(_ node: Node) -> Follower {
    if node.text != nil {
      let view = reference(node, .presence).map { View("value", of: $0) }
      return Follower(view.map { [$0] } ?? [], value: ValueTemplate([.variable("value")]))
    }
    var keys = MappingReader(node)
    let with = keys.required("with", expected: "{ level: { of: battery-level, as: u8 } }")
    let views = self.views(with)
    if let with, with.mapping?.isEmpty == true {
      problems.append(with.problem("there is nothing to follow"))
    }
    let value = keys.required("value", expected: "a value such as { u16: $level * 10 }")
    let template = value.flatMap { self.template($0, View.names(views)) }
    problems += keys.finish()
    return Follower(views, value: template ?? ValueTemplate([]))
  }
}
