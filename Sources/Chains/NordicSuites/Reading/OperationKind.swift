// The table of operation kinds: the name of each element, and the reader of its attributes and children.

import Bluetooth

/// A kind of operation.
struct OperationKind: Sendable {
  /// A reader of an element of the kind; returns nil if a part of it is invalid.
  typealias Read = @Sendable (OperationReader, inout ElementReader) -> Operation.Action?

  /// The name of the element.
  let name: String
  let read: Read

  private init(_ name: String, _ read: @escaping Read) { (self.name, self.read) = (name, read) }

  /// Creates a kind without attributes other than those of all kinds.
  private init(_ name: String, _ action: Operation.Action) {
    self.init(name) { _, reader in
      reader.finish()
      return action
    }
  }

  /// Creates a kind that this host cannot perform. It is read like the others, and fails when it is run.
  ///
  /// - Parameters:
  ///   - children: The names of the elements that it may contain.
  ///   - read: Reads its attributes.
  private init(
    _ name: String, _ unsupported: Unsupported, children: [String] = [],
    _ read: @escaping @Sendable (OperationReader, inout ElementReader) -> Void
  ) {
    self.init(name) { operations, reader in
      read(operations, &reader)
      reader.finish(children: children)
      return .unsupported(unsupported)
    }
  }

  /// The kinds in tests, in the order of the format.
  static let ofTests = [
    OperationKind("scan") { .scan($0.filter(&$1)) },
    OperationKind("scan-for") { $0.scanFor(&$1) },
    OperationKind("connect", .device(.connect)),
    OperationKind("discover-services", .device(.discoverServices)),
    OperationKind("refresh", .device(.refresh)),
    OperationKind("disconnect", .device(.disconnect)),
    OperationKind("bond", .device(.bond)),
    OperationKind("unbond", .device(.unbond)),
    OperationKind("assert-service") { $0.assertService(&$1) },
    OperationKind("read") { $0.reading(&$1, isDescriptor: false) },
    OperationKind("read-descriptor") { $0.reading(&$1, isDescriptor: true) },
    OperationKind("write") { $0.writing(&$1, isDescriptor: false) },
    OperationKind("write-descriptor") { $0.writing(&$1, isDescriptor: true) },
    OperationKind("begin-reliable-write", .device(.beginReliableWrite)),
    OperationKind("execute-reliable-write", .device(.executeReliableWrite)),
    OperationKind("abort-reliable-write", .device(.abortReliableWrite)),
    OperationKind("assert-notification") { $0.notification(&$1, hasTrigger: true) },
    OperationKind("read-rssi") { $0.strength(&$1) },
    OperationKind("request-mtu") { $0.mtu(&$1) },
    OperationKind("sleep", .sleep),
    OperationKind("sleep-if") { $0.sleeping(&$1, whileEqual: true) },
    OperationKind("sleep-until") { $0.sleeping(&$1, whileEqual: false) },
    OperationKind("request-connection-priority") { _, reader in
      let priority: ConnectionPriority? = reader.choice("type")
      reader.finish()
      return .device(.requestPriority(priority ?? .balanced))
    },
    OperationKind("read-phy") { .device(.readPHY($0.phys(&$1))) },
    OperationKind("set-preferred-phy") { _, reader in
      let (tx, rx) = (reader.phys("tx"), reader.phys("rx"))
      _ = reader.word("option", among: ["NO_PREFERRED", "S2", "S8"])
      reader.finish()
      return .preferredPHY(tx: tx, rx: rx)
    },
    OperationKind("dfu", .dfu) { $1.image("initFile", "type") },
    OperationKind("mcu", .mcu) {
      $1.image("mode", "swap-time", "number-of-buffers", "memory-alignment", "erase-app-storage")
    },
  ]

  /// The kinds in macros: those of tests, and some more.
  static let ofMacros =
    ofTests + [
      OperationKind("assert-server-service", .server, children: ["assert-characteristic"]) {
        _ = $0.assertService(&$1)
      },
      OperationKind("wait-for-notification") { $0.notification(&$1, hasTrigger: false) },
      OperationKind("wait-for-indication") { $0.notification(&$1, hasTrigger: false) },
      OperationKind("wait-for-read", .server) { _ = $0.path(&$1) },
      OperationKind("wait-for-read-descriptor", .server) { _ = $0.path(&$1, isDescriptor: true) },
      OperationKind("wait-for-write", .server, children: ["assert-value"]) {
        _ = ($0.path(&$1), $0.values(in: &$1))
      },
      OperationKind("wait-for-write-descriptor", .server, children: ["assert-value"]) {
        _ = ($0.path(&$1, isDescriptor: true), $0.values(in: &$1))
      },
      OperationKind("wait-for-execute-reliable-write", .server) { _, reader in
        _ = reader.required("execute", expected: "true or false") {
          ["true", "false"].firstIndex(of: $0)
        }
      },
      OperationKind("set-value", .server) { _ = ($0.path(&$1), $1.value()) },
      OperationKind("set-descriptor-value", .server) {
        _ = ($0.path(&$1, isDescriptor: true), $1.value())
      },
      OperationKind("send-notification", .server) { _ = ($0.path(&$1), $1.value()) },
      OperationKind("send-indication", .server) { _ = ($0.path(&$1), $1.value()) },
      OperationKind("wait-for-phy-update") {
        _ = $0.phys(&$1)
        return .unsupported(.phyUpdate)
      },
      OperationKind("unlock-eddystone", .eddystone) {
        _ = ($0.path(&$1), $1.text("type"))
        _ = $1.required("key", expected: "32 hexadecimal digits") { $0.count == 32 ? $0 : nil }
      },
    ]

  static let names = (ofTests: ofTests.map(\.name), ofMacros: ofMacros.map(\.name))

  /// Returns the kind with a name; nil if it is unknown.
  static func named(_ name: String) -> OperationKind? { byName[name] }

  private static let byName = Dictionary(uniqueKeysWithValues: ofMacros.map { ($0.name, $0) })
}
