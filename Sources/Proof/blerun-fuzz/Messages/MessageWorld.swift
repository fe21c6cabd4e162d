// A bus with the simulated org.bluez, connected devices, and hostile clients.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// The bus, simulator and clients of one round.
///
/// It does not use `BLETesting`, because it observes every message from before bluetoothd is on the
/// bus.
final class MessageWorld {
  private static let clientCount = 3
  /// Longer than every limit of the simulator, including the ATT transaction's and the agents'.
  private static let patience = Duration.seconds(150)
  private static let flood = 300

  private let loop = VirtualTimeLoop(eventLimit: 2_000_000)
  private let bus: LoopbackBus
  private let simulator: BlueZSimulator
  private let book: Guarded<AnswerBook>
  private let addresses: [BluetoothAddress]
  private var clients: [MessageBus] = []
  /// The objects at the start, with their interfaces.
  private(set) var objects: [ObjectPath: [String]] = [:]
  private(set) var paths: [ObjectPath] = []

  init(_ definitions: [DeviceDefinition], _ generator: SeededGenerator) throws {
    let adapter = BlueZPath.adapter(BlueZPath.adapterName(index: 0))
    let book = Guarded(AnswerBook(Secrets(definitions, adapter: adapter)))
    self.book = book
    addresses = definitions.map(\.address)
    let server = Guarded("")
    bus = LoopbackBus(on: loop) { message, _ in
      let name = server.withLock { $0 }
      book.withLock { $0.apply(message, server: name) }
    }
    let loop = loop
    let devices = definitions.enumerated().map { number, definition in
      SimulatedDevice(definition, on: loop, generator: generator.split("\(number)"))
    }
    let connection = try bus.connect()
    server.withLock { $0 = connection.uniqueName }
    // Later releases leave a request for a protected attribute unanswered while no agent pairs.
    let settings = SimulatorSettings(version: .debian12)
    simulator = BlueZSimulator(bus: connection, devices: devices, settings: settings) { event, _ in
      switch event {
      case .linkDown(let address):
        book.withLock { $0.linkEnded(BlueZPath.device(address, of: adapter).text) }
      case .paired(let address, let security):
        book.withLock { $0.paired(BlueZPath.device(address, of: adapter).text, security) }
      case .linkUp, .read, .written, .subscribed, .unsubscribed, .notified, .securityRequested,
        .scanning:
        break
      }
    }
    for _ in 0..<Self.clientCount { clients.append(try bus.connect()) }
    try open(definitions)
  }

  deinit {
    simulator.stop()
    bus.shutDown()
    loop.end()
  }

  private func open(_ definitions: [DeviceDefinition]) throws {
    let (simulator, client, loop) = (simulator, clients[0], loop)
    let adapter = BlueZPath.adapter(BlueZPath.adapterName(index: 0))
    try loop.run {
      try await simulator.start()
      _ = try await client.call(Self.call(adapter, Adapter1.interface, "StartDiscovery"))
      try await loop.sleep(for: .seconds(2))
      for definition in definitions {
        let path = BlueZPath.device(definition.address, of: adapter)
        let call = try Self.call(path, Device1.interface, "Connect")
        _ = try? await client.call(call, limit: .seconds(10))
      }
      try await loop.sleep(for: .seconds(2))
    }
    let known = try managed(client)
    objects = Dictionary(uniqueKeysWithValues: known.map { ($0.path, $0.interfaces.map(\.name)) })
    paths = known.map(\.path) + [.root, BlueZPath.manager, "/org/bluez/hci1", "/x"]
  }

  // MARK: Messages

  /// Sends a message from one of the clients, which may close its connection right after.
  ///
  /// - Parameter freeDescriptors: How many descriptors can be opened while the simulator handles it; nil:
  ///   enough.
  func send(_ message: Message, freeDescriptors: Int?, _ generator: inout SeededGenerator) throws {
    let index = generator.index(clients.count)
    let times = generator.hits(1, in: 60) ? Self.flood : 1
    if let freeDescriptors {
      book.withLock { $0.isSqueezed = true }
      defer { book.withLock { $0.isSqueezed = false } }
      // Long enough for the device to respond.
      try OpenDescriptors.withLimit(freeDescriptors) {
        for _ in 0..<times { try? clients[index].send(message) }
        try pass(.milliseconds(400))
      }
    } else {
      for _ in 0..<times { try? clients[index].send(message) }
    }
    if generator.hits(1, in: 30) {
      let name = clients[index].uniqueName
      clients[index].close()
      book.withLock { $0.forget(name) }
      clients[index] = try bus.connect()
    }
    try pass(.milliseconds(generator.pick([0, 0, 1, 20, 200, 1_500])))
    try throwProblem()
  }

  /// The number of successful calls.
  var granted: Int { book.withLock { $0.granted } }

  // MARK: The end

  /// Waits for pending replies, ends the links, closes the clients, and checks for leftovers.
  func finish() throws {
    try collect(hasLinks: true, within: Self.patience)
    try collect(hasLinks: false, within: Self.patience)
    for client in clients {
      book.withLock { $0.forget(client.uniqueName) }
      client.close()
    }
    try pass(.seconds(5))
    let witness = try bus.connect()
    for object in try managed(witness) {
      for interface in object.interfaces {
        for name in ["Discovering", "Notifying", "WriteAcquired", "NotifyAcquired"]
        where interface.properties[name]?.asBool == true && !isStuck(name, object.path) {
          throw BrokenPromise(description: "\(name) of \(object.path) is left by clients that left")
        }
      }
      let call = try Self.call(object.path, StandardInterface.introspectable, "Introspect")
      let text = try loop.run { try await witness.call(call).body.first?.asString }
      guard text?.contains("</node>") == true else {
        throw BrokenPromise(description: "\(object.path) cannot be introspected")
      }
    }
    try throwProblem()
  }

  private func loseLinks() {
    for address in addresses { simulator.loseLink(address) }
  }

  /// Waits until no call is pending.
  ///
  /// - Parameter hasLinks: If false, ends every link first, including one that a Pair is still
  ///   making.
  private func collect(hasLinks: Bool, within limit: Duration) throws {
    let end = loop.now + limit
    if !hasLinks { loseLinks() }
    var owed = book.withLock { $0.owed(hasLinks: hasLinks) }
    while !owed.isEmpty, loop.now < end {
      try pass(.seconds(1))
      if !hasLinks { loseLinks() }
      owed = book.withLock { $0.owed(hasLinks: hasLinks) }
    }
    guard owed.isEmpty else {
      let when = hasLinks ? "never answered" : "not answered as the link ended"
      throw BrokenPromise(description: "\(when): \(owed.joined(separator: ", "))")
    }
  }

  private func isStuck(_ name: String, _ path: ObjectPath) -> Bool {
    name.hasSuffix("Acquired") && book.withLock { $0.isStuck(path.text) }
  }

  private func throwProblem() throws {
    if let first = book.withLock({ $0.problems.first }) { throw BrokenPromise(description: first) }
  }

  private func pass(_ duration: Duration) throws {
    let loop = loop
    do {
      try loop.run { try await loop.sleep(for: duration) }
    } catch let limit as EventLimitReached {
      throw BrokenPromise(description: "the simulator does not come to rest: \(limit)")
    }
  }

  // MARK: Calls

  private struct Object {
    let path: ObjectPath
    let interfaces: [(name: String, properties: PropertyMap)]
  }

  private func managed(_ client: MessageBus) throws -> [Object] {
    let call = try Self.call(.root, StandardInterface.objectManager, "GetManagedObjects")
    let reply = try loop.run { try await client.call(call) }
    guard case .dictionary(let objects) = reply.body.first else { return [] }
    return objects.entries.compactMap { key, value in
      guard let path = key.asObjectPath, case .dictionary(let all) = value else { return nil }
      let interfaces = all.entries.map { ($0.asString ?? "", $1.asPropertyMap ?? PropertyMap()) }
      return Object(path: path, interfaces: interfaces)
    }
  }

  private static func call(
    _ path: ObjectPath, _ interface: String, _ member: String
  ) throws -> MethodCall {
    try MethodCall(destination: OrgBlueZ.busName, path: path, interface: interface, member: member)
  }
}
