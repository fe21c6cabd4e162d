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
    if let node = keys.optional("adapter") { adapter(node, &host) }
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

  private mutating func adapter(_ node: Node, _ host: inout HostDefinition) {
    var keys = MappingReader(node)
    host.adapterNumber = reader.integer(&keys, "number", in: 0...255) ?? 0
    host.adapterAddress = keys.optional(
      "address",
      expected: "an address such as 00:00:5E:00:53:00"
    ) {
      $0.text.flatMap { BluetoothAddress($0) }
    }
    host.adapterName = keys.optional("name", expected: "at most \(FileLimits.name) octets of text")
    { node in
      node.text.flatMap { $0.utf8.count <= FileLimits.name ? $0 : nil }
    }
    host.isPowered = reader.truth(&keys, "powered") ?? true
    reader.problems += keys.finish()
  }
}
