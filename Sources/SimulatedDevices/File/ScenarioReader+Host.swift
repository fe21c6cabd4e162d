// The simulated host in a scenario file.

import Bluetooth
import Documents

extension ScenarioReader {
  /// `host: { bluez: "5.83", adapter: { number: 1 }, connect-timeout: 10s }`
  mutating func host(_ node: Node) -> HostDefinition {
    var keys = MappingReader(node)
    var host = HostDefinition()
    host.release = keys.optional("bluez", expected: "a release such as \"5.66\"") { node in
      node.text.flatMap { HostDefinition.Release(written: $0) }
    }
    host.adapters = adapters(&keys)
    host.offersMonitors = reader.truth(&keys, "monitors") ?? false
    host.disconnectDelay = reader.delay(&keys, "disconnect-delay")
    host.temporaryTimeout = reader.delay(&keys, "temporary-timeout")
    host.connectTimeout = reader.delay(&keys, "connect-timeout")
    host.answerTimeout = reader.delay(&keys, "answer-timeout")
    host.agentTimeout = reader.delay(&keys, "agent-timeout")
    host.pairingTimeout = reader.delay(&keys, "pairing-timeout")
    reader.problems += keys.finish()
    return host
  }

  /// `adapter`, or `adapters`: a list, whose numbers and addresses differ.
  private mutating func adapters(_ keys: inout MappingReader) -> [HostDefinition.Adapter] {
    let one = keys.optional("adapter")
    let several = keys.optional("adapters")
    if let one, several != nil {
      reader.problems.append(one.problem("'adapter' and 'adapters' exclude each other"))
    }
    if let one { return [adapter(one, 0)] }
    let nodes = reader.list(several, "adapters", atMost: FileLimits.adapters)
    if let several, several.sequence?.isEmpty == true {
      reader.problems.append(several.problem("there is at least one adapter"))
    }
    var all: [HostDefinition.Adapter] = []
    for (index, node) in nodes.enumerated() {
      let adapter = adapter(node, index)
      if all.contains(where: { $0.number == adapter.number }) {
        reader.problems.append(node.problem("another adapter has the number \(adapter.number)"))
      }
      if let address = adapter.address, all.contains(where: { $0.address == address }) {
        reader.problems.append(node.problem("another adapter has the address \(address)"))
      }
      all.append(adapter)
    }
    return all
  }

  /// The adapter that a fault is about: `hci1`, its name or its address.
  mutating func adapter(named node: Node) -> Int {
    let found = adapters.indices.filter { index in
      let adapter = adapters[index]
      guard let text = node.text else { return false }
      if "hci\(adapter.number)" == text || adapter.name == text { return true }
      return adapter.address.map { BluetoothAddress(text) == $0 } ?? false
    }
    if found.count == 1 { return found[0] }
    let known = adapters.flatMap { ["hci\($0.number)"] + ($0.name.map { [$0] } ?? []) }
    let problem =
      found.isEmpty
      ? reader.wrongWord(node, node.text, known, "an adapter of the host")
      : node.problem("several adapters are called \(reader.shown(node))")
    reader.problems.append(problem)
    return 0
  }

  private mutating func adapter(_ node: Node, _ index: Int) -> HostDefinition.Adapter {
    var keys = MappingReader(node)
    let number = reader.integer(&keys, "number", in: 0...255) ?? index
    let address = keys.optional("address", expected: "an address such as 00:00:5E:00:53:00") {
      $0.text.flatMap { BluetoothAddress($0) }
    }
    let expected = "at most \(FileLimits.name) octets of text"
    let name = keys.optional("name", expected: expected) { node in
      node.text.flatMap { $0.utf8.count <= FileLimits.name ? $0 : nil }
    }
    let isPowered = reader.truth(&keys, "powered") ?? true
    reader.problems += keys.finish()
    return HostDefinition.Adapter(
      number: number,
      address: address,
      name: name,
      isPowered: isPowered
    )
  }
}
