// A bus with the simulated org.bluez, devices that have a link, and clients that mean no good.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// What the messages of one round are sent to.
final class MessageWorld {
  private static let clientCount = 3
  /// Longer than every limit of the simulator: the ATT transaction's, the agents'.
  private static let patience = Duration.seconds(150)
  private static let flood = 300

  private let loop = VirtualTimeLoop(eventLimit: 2_000_000)
  private let bus: LoopbackBus
  private let simulator: BlueZSimulator
  private let book: Guarded<AnswerBook>
  private var clients: [LoopbackConnection] = []
  /// The objects at the start, with their interfaces.
  private(set) var objects: [ObjectPath: [String]] = [:]
  private(set) var paths: [ObjectPath] = []

  init(_ definitions: [DeviceDefinition], _ generator: SeededGenerator) throws {
    let book = Guarded(AnswerBook())
    self.book = book
    let server = Guarded("")
    bus = LoopbackBus(on: loop) { message, _ in
      let name = server.withLock { $0 }
      book.withLock { $0.see(message, server: name) }
    }
    let loop = loop
    let devices = definitions.enumerated().map { number, definition in
      SimulatedDevice(definition, on: loop, generator: generator.split("\(number)"))
    }
    let connection = try bus.connect()
    server.withLock { $0 = connection.uniqueName }
    simulator = BlueZSimulator(bus: connection, devices: devices)
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
    let protected = definitions.filter { definition in
      definition.services.flatMap(\.characteristics).contains { $0.security != AttributeSecurity() }
    }.map { BlueZPath.device($0.address, of: adapter).text }
    book.withLock { $0.protected = protected }
    let known = try managed(client)
    objects = Dictionary(uniqueKeysWithValues: known.map { ($0.path, $0.interfaces.map(\.name)) })
    paths = known.map(\.path) + [.root, BlueZPath.manager, "/org/bluez/hci1", "/x"]
  }

  // MARK: Messages

  /// Sends a message from one of the clients, which may leave at once.
  func send(_ message: Message, _ generator: inout SeededGenerator) throws {
    let index = generator.index(clients.count)
    for _ in 0..<(generator.hits(1, in: 60) ? Self.flood : 1) { try? clients[index].send(message) }
    if generator.hits(1, in: 30) {
      let name = clients[index].uniqueName
      clients[index].close()
      book.withLock { $0.forget(name) }
      clients[index] = try bus.connect()
    }
    try pass(.milliseconds(generator.pick([0, 0, 1, 20, 200, 1_500])))
    try complain()
  }

  /// How many calls were answered with values.
  var granted: Int { book.withLock { $0.granted } }

  // MARK: The end

  /// Waits for what is owed, then has the clients leave, and looks for what they left.
  func finish() throws {
    let end = loop.now + Self.patience
    while !book.withLock({ $0.owed.isEmpty }), loop.now < end { try pass(.seconds(5)) }
    let owed = book.withLock { $0.owed }
    guard owed.isEmpty else {
      throw Violation(description: "never answered: \(owed.joined(separator: ", "))")
    }
    for client in clients { client.close() }
    try pass(.seconds(5))
    let witness = try bus.connect()
    for object in try managed(witness) {
      for interface in object.interfaces {
        for name in ["Discovering", "Notifying", "WriteAcquired", "NotifyAcquired"]
        where interface.properties[name]?.asBool == true && !isPending(name, object.path) {
          throw Violation(description: "\(name) of \(object.path) is left by clients that left")
        }
      }
      let call = try Self.call(object.path, StandardInterface.introspectable, "Introspect")
      let text = try loop.run { try await witness.call(call).body.first?.asString }
      guard text?.contains("</node>") == true else {
        throw Violation(description: "\(object.path) cannot be introspected")
      }
    }
    try complain()
  }

  /// Whether a subscription that is never answered holds the value: it does until the link ends.
  private func isPending(_ name: String, _ path: ObjectPath) -> Bool {
    let protected = book.withLock { $0.protected }
    return name == "NotifyAcquired" && protected.contains(where: path.text.hasPrefix)
  }

  private func complain() throws {
    if let first = book.withLock({ $0.complaints.first }) { throw Violation(description: first) }
  }

  private func pass(_ duration: Duration) throws {
    let loop = loop
    do {
      try loop.run { try await loop.sleep(for: duration) }
    } catch let limit as EventLimitReached {
      throw Violation(description: "the simulator does not come to rest: \(limit)")
    }
  }

  // MARK: Calls

  private struct Object {
    let path: ObjectPath
    let interfaces: [(name: String, properties: PropertyMap)]
  }

  private func managed(_ client: LoopbackConnection) throws -> [Object] {
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
    _ path: ObjectPath,
    _ interface: String,
    _ member: String
  ) throws -> MethodCall {
    try MethodCall(
      destination: OrgBlueZ.busName,
      path: path,
      interface: interface,
      member: member
    )
  }
}
