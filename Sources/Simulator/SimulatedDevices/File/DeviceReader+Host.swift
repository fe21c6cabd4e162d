// The simulated host in a scenario file.

import Bluetooth
import Documents

extension DeviceReader {
  /// `host: { bluez: "5.83", adapter: { number: 1 }, answer-timeout: 10s }`
  static let hostForm = DeviceForm<HostDefinition>(
    "The simulated host.", HostDefinition(),
    [
      DeviceKey(
        "bluez", \.release,
        DeviceShape(
          "a release such as \"5.66\"", schema: Schema(["type": ["string", "number"]])
        ) { node, _ in node.text.flatMap { HostDefinition.Release(written: $0) } },
        usual: "\"5.82\"",
        "the simulated release of BlueZ, such as `\"5.82\"`: docs/testing.md has what differs"
      ),
      DeviceKey("adapter", \.adapters, adapter.map { [$0] }, usual: "hci0", "its adapter"),
      DeviceKey(
        "adapters", \.adapters, adapters, usual: "",
        "several, of which faults affect the first unless they name another"
      ),
      DeviceKey(
        "monitors",
        \.offersMonitors,
        .truth,
        "whether clients may register advertisement monitors, to receive advertisements without a scan"
      ),
      DeviceKey(
        "disconnect-delay", \.disconnectDelay, .delay, usual: "2s",
        "from the request to disconnect to the end of the link"
      ),
      DeviceKey(
        "answer-timeout", \.answerTimeout, .delay, usual: "30s",
        "how long it waits for a response of a device"
      ),
    ],
    rules: [.exclusive(["adapter", "adapters"])]
  )

  static let adapterForm = DeviceForm<AdapterEntry>(
    "An adapter.",
    AdapterEntry(),
    [
      DeviceKey("number", \.number, .integer(0...255), usual: "its index", "0 is `hci0`"),
      DeviceKey("address", \.address, .address, usual: "one of its own", "its address"),
      DeviceKey("name", \.adapter.name, .name, usual: "the host's", "its name"),
      DeviceKey("powered", \.adapter.isPowered, .truth, "whether it is switched on at first"),
      DeviceKey(
        "link", \.adapter.peripheral.link, Shape.mapping(linkForm).named("link"), usual: "",
        "the timing and limits of connections to a program that is a peripheral on it"
      ),
      DeviceKey(
        "security", \.adapter.peripheral.pairing, adapterPairingShape, usual: "just-works",
        "how such a program pairs"
      ),
      DeviceKey(
        "faults", deviceFault.list(of: "faults", 0...FileLimits.faults), usual: "none",
        "what goes wrong with such a program, see [Faults of a device](#faults-of-a-device)"
      ) { entry, faults, _ in
        for fault in faults { fault.apply(to: &entry.adapter.peripheral) }
      },
    ]
  )

  /// The keys of an adapter. The default number is its index, and the default address follows from
  /// the number.
  struct AdapterEntry: Sendable {
    var adapter = AdapterSettings()
    var number: Int?
    var address: BluetoothAddress?
  }

  private static let adapterShape = Shape.mapping(adapterForm).named("adapter")

  private static let adapter = adapterShape.map { $0.adapter(at: 0) }

  /// A list of adapters with different numbers and addresses.
  private static let adapters: DeviceShape<[AdapterSettings]> = {
    let entry = DeviceShape<Located<AdapterEntry>>(
      adapterShape.expected, schema: adapterShape.schema
    ) { node, reader in
      adapterShape.read(node, &reader).map { Located(value: $0, node: node) }
    }
    let list = entry.list(
      of: "adapters", 1...FileLimits.adapters, none: "there is at least one adapter"
    )
    return DeviceShape(list.expected, schema: list.schema) { node, reader in
      var all: [AdapterSettings] = []
      for (index, entry) in (list.read(node, &reader) ?? []).enumerated() {
        let adapter = entry.value.adapter(at: index)
        if all.contains(where: { $0.number == adapter.number }) {
          reader.problems.append(
            entry.node.problem("another adapter has the number \(adapter.number)")
          )
        } else if all.contains(where: { $0.address == adapter.address }) {
          reader.problems.append(
            entry.node.problem("another adapter has the address \(adapter.address)")
          )
        }
        all.append(adapter)
      }
      return all
    }
  }()
}

extension DeviceReader.AdapterEntry {
  fileprivate func adapter(at index: Int) -> AdapterSettings {
    var adapter = adapter
    adapter.number = number ?? index
    adapter.address = address ?? AdapterSettings(number: adapter.number).address
    return adapter
  }
}

extension Shape where State == DeviceReader, Value == Int {
  /// The adapter of a fault: `hci1`, its name or its address.
  static var adapter: DeviceShape<Int> {
    DeviceShape(
      "an adapter of the host", schema: Schema(["type": "string"]), shown: { _ in "the first" }
    ) { node, reader in
      let adapters = reader.scenario.adapters
      let found = adapters.indices.filter { index in
        let adapter = adapters[index]
        guard let text = node.text else { return false }
        return ["hci\(adapter.number)", adapter.name].contains(text)
          || BluetoothAddress(text) == adapter.address
      }
      if found.count == 1 { return found[0] }
      let names = adapters.map(\.name)
      let known =
        adapters.map { "hci\($0.number)" }
        + names.filter { name in names.count { $0 == name } == 1 }
      reader.problems.append(
        found.isEmpty
          ? reader.wrongWord(node, node.text, known, "an adapter of the host")
          : node.problem("several adapters are called \(node.shown)")
      )
      return nil
    }
  }
}
