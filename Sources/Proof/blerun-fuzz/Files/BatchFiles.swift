// Damaged batch files, with the chains, parts and tables that they name.

import Bluetooth
import Documents
import Jobs
import Signals

/// Feeds damaged files to the batch parser, and prints the accepted ones as a dry run does.
struct BatchFiles: FuzzTarget {
  private static let batches = [
    """
    name: Evening check
    chain: chain.yaml
    devices:
    - Lamp-1
    - { address: "C0:FF:EE:00:01:01", with: { level: 2 } }
    - { alias: Attic, with: { pause: 1s } }
    with: { room: hall }
    concurrency: 2
    on-failure: { stop-after: 3 }
    retry: { attempts: 2, backoff: 1s }
    deadline: 10m
    """,
    """
    devices: { csv: table.csv, address: mac }
    steps: [ { include: part.yaml, with: { level: 1 } }, { log: "in the {room}" } ]
    variables: { room: { type: text, default: none }, level: 1 }
    on-failure: stop
    every: 1s
    """,
    """
    devices: { scan: 5s, name: "Lamp-*", service: battery, rssi: -70, at-least: 2, at-most: 10 }
    steps: [ { read: battery-level }, { log: "{name} {address}" } ]
    timeout: 5s
    keep: true
    every: 15m
    """,
    """
    steps:
    - { try: [ { include: part.yaml } ], finally: [ { include: chain.yaml } ] }
    - { repeat: 3, steps: [ { include: part.yaml } ] }
    devices: [ A, B, { service: battery } ]
    environment: [HOME]
    every: 1h
    """,
  ].map { Array($0.utf8) }

  private static let beside: [(name: String, text: String)] = [
    (
      "chain.yaml",
      """
      variables: { level: { type: integer, default: 1 }, pause: 2s, room: { type: text, default: x } }
      timeout: 5s
      steps:
      - { write: alert-level, value: { u8: "{level}" } }
      - { repeat: "{level}", steps: [ { sleep: "{pause}" } ] }
      - { include: part.yaml, with: { level: "{level}" } }
      """
    ),
    (
      "part.yaml",
      """
      variables: { level: { type: integer, default: 7 } }
      steps: [ { read: battery-level, as: b, expect: { percent: { min: "{level}" } } } ]
      """
    ),
    (
      "table.csv",
      "mac,level,room\nC0:FF:EE:00:01:00,2,hall\nC0:FF:EE:00:01:01,,attic\n"
        + "\"C0:FF:EE:00:01:02\",0x3,\"a, \"\"b\"\"\"\n"
    ),
  ]

  private let seed: UInt64
  private let corpus: Corpus
  private let folder: InputFolder

  init(seed: UInt64) throws {
    self.seed = seed
    corpus = try Corpus(["docs/examples/*.yaml"], and: Self.beside)
    folder = try InputFolder()
  }

  func input(_ number: UInt64) -> String {
    makeInput(number).map { "# \($0.name)\n" + String(decoding: $0.octets, as: UTF8.self) }
      .joined(separator: "\n")
  }

  func feed(_ number: UInt64) throws -> Bool {
    for file in makeInput(number) { try folder.write(file.octets, as: file.name) }
    if number % 4 == 0 { try includeOnOneLine() }
    let batch: Batch
    do {
      batch = try Batch.load(path: folder.path + "/batch.yaml")
    } catch {
      guard !error.problems.isEmpty, error.problems.allSatisfy({ !"\($0)".isEmpty }) else {
        throw BrokenPromise(description: "the batch is refused without a reason")
      }
      return false
    }
    guard batch.lines.allSatisfy({ $0.unicodeScalars.allSatisfy(\.isPrintable) }) else {
      throw BrokenPromise(
        description: "a line of a dry run has something in it that is not printable")
    }
    try check(batch.devices)
    return true
  }

  /// Includes the same files in one-line steps.
  private func includeOnOneLine() throws {
    let line = "read 2a19 as b; include part.yaml with level=2; repeat 2 { include chain.yaml }"
    do {
      _ = try Plan.parse(line: line, file: folder.path + "/-e", includesFiles: true).lines
    } catch {
      guard !error.problems.isEmpty else {
        throw BrokenPromise(description: "an include is refused without a reason")
      }
    }
  }

  private func check(_ devices: Batch.Devices) throws {
    switch devices {
    case .listed(let devices):
      guard !devices.isEmpty, Set(devices.map(\.label)).count == devices.count else {
        throw BrokenPromise(description: "the list of devices has a duplicate, or is empty")
      }
    case .scanned(let scan):
      for name in ["Lamp-1", "", "{name}", "a: [b]\n", nil] {
        // A name that is not a valid value of its variable is refused, with a reason.
        do {
          _ = try scan.devices([Self.seen(as: name)])
        } catch {
          guard !error.problems.isEmpty else {
            throw BrokenPromise(description: "a device is refused without a reason")
          }
        }
      }
    }
  }

  private static func seen(as name: String?) -> Advertisement {
    Advertisement(
      address: BluetoothAddress(number: 1), addressType: .random, name: name, alias: "", rssi: nil,
      txPower: nil, services: [], advertisedServices: [], manufacturerData: [], serviceData: [],
      isConnected: false, isPaired: false, adapter: "hci0"
    )
  }

  private func makeInput(_ number: UInt64) -> [(name: String, octets: [UInt8])] {
    var generator = SeededGenerator("batch-files", seed: seed, number: number)
    var files = [(name: "batch.yaml", octets: generator.pick(Self.batches))]
    for (name, text) in Self.beside { files.append((name, Array(text.utf8))) }
    // Sometimes an example chain, which has none of the variables.
    if generator.hits(1, in: 8) { files[1].octets = generator.pick(corpus.files).octets }
    let damaged = generator.pick([[0], [0], [0], [1], [2], [3], [0, 1], [0, 3], [1, 2]])
    for index in damaged {
      let octets = files[index].octets
      files[index].octets =
        index == 3 && generator.hits(2, in: 3)
        ? TableDamage.damaged(octets, &generator)
        : Mutation.damaged(octets, with: corpus, &generator)
    }
    return files
  }
}
