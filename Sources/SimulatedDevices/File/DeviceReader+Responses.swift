// What a device file says that a write brings about.

import Bluetooth
import Documents

extension DeviceReader {
  mutating func responses(_ node: Node) -> [ResponseRule] {
    list(node, "responses", atMost: FileLimits.responses).map { response($0) }
  }

  private mutating func response(_ node: Node) -> ResponseRule {
    var keys = MappingReader(node)
    var rule = ResponseRule()
    let exact = keys.optional("when")
    let beginning = keys.optional("when-begins")
    let like = keys.optional("when-like")
    let given = [("when", exact), ("when-begins", beginning), ("when-like", like)].compactMap {
      (name, node) in node.map { (name: name, node: $0) }
    }
    if let second = given.dropFirst().first {
      problems.append(
        second.node.problem("'\(given[0].name)' and '\(second.name)' exclude each other")
      )
    }
    if let octets = exact.flatMap({ octets($0) }) { rule.pattern = .exactly(octets) }
    if let octets = beginning.flatMap({ octets($0) }) { rule.pattern = .beginning(octets) }
    let pattern = like.flatMap { self.pattern($0) }
    if let pattern { rule.pattern = .like(pattern) }
    rule.refusal = keys.optional("refuse").flatMap { errorCode($0) }
    if let actions = keys.optional("then") {
      if rule.refusal != nil {
        problems.append(actions.problem("a refused write brings nothing about"))
      }
      let nodes =
        actions.mapping == nil
        ? list(actions, "actions", atMost: FileLimits.responses) : [actions]
      let names = KnownNames.ofWrite(pattern)
      rule.actions = nodes.compactMap { action($0, names) }
    }
    problems += keys.finish()
    return rule
  }

  mutating func action(_ node: Node, _ names: KnownNames) -> ResponseAction? {
    var keys = MappingReader(node)
    let notify = keys.optional("notify")
    let set = keys.optional("set")
    let delay = delay(&keys, "after") ?? .zero
    let target = keys.optional("on")
    problems += keys.finish()
    guard let value = notify ?? set, notify == nil || set == nil else {
      if node.mapping != nil {
        problems.append(node.problem("nothing to be done", expected: "either notify or set"))
      }
      return nil
    }
    let kind = notify == nil ? ResponseAction.Kind.set : .notify
    let on = target.flatMap { reference($0, kind == .notify ? .notify : .set) }
    return template(value, names).map { value in
      var action = ResponseAction(kind, value: value, after: delay)
      action.characteristic = on
      return action
    }
  }
}
