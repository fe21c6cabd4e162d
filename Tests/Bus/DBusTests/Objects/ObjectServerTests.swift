// Exported objects, as a client on the bus sees them.

import Fixtures
import Signals
import Testing

@testable import DBus

@Suite("Object server")
struct ObjectServerTests {
  static let adapter: ObjectPath = "/org/example/hci0"
  static let device: ObjectPath = "/org/example/hci0/dev_1"

  /// The state of a lamp.
  final class Lamp: Sendable {
    let level = Guarded<UInt16>(1)
    let name = Guarded<String?>("lamp")
  }

  let loop = VirtualTimeLoop()
  let client: MessageBus
  let server: ObjectServer
  let lamp = Lamp()
  let received = Recorded<String>()
  private let ending: LoopEnding

  init() throws {
    let bus = LoopbackBus(on: loop)
    ending = LoopEnding(loop) { bus.shutDown() }
    let (client, serving) = (try bus.connect(), try bus.connect())
    self.client = client
    server = ObjectServer(bus: serving)
    _ = try serving.export(server)
    let received = received
    try loop.run {
      _ = try await client.subscribe(MatchRule()) { signal in
        guard signal.sender == serving.uniqueName else { return }
        received.add("\(signal.member ?? "") \(signal.path ?? "/") \(Self.text(signal.body))")
      }
    }
  }

  var lampInterface: ExportedInterface {
    let (lamp, server) = (lamp, server)
    return ExportedInterface(
      "org.example.Lamp",
      methods: [
        ExportedMethod("Raise", takes: [.init("by", "q")], returns: [.init("level", "q")]) {
          [weak server] call in
          let by = call.message.body[0].asUInt16 ?? 0
          lamp.level.withLock { $0 += by }
          server?.changed("Level", of: "org.example.Lamp", at: Self.device)
          call.reply([.uint16(lamp.level.withLock { $0 })])
        }
      ],
      properties: [
        ExportedProperty(
          "Level", "q",
          set: { [weak server] value, call in
            lamp.level.withLock { $0 = value.asUInt16 ?? 0 }
            server?.changed("Level", of: "org.example.Lamp", at: Self.device)
            call.reply()
          },
          get: { .uint16(lamp.level.withLock { $0 }) }
        ),
        ExportedProperty("Name", "s") { lamp.name.withLock { $0 }.map { .string($0) } },
      ],
      signals: [ExportedSignal("Flickered", [.init("times", "u")])]
    )
  }

  /// Bodies in a short form.
  static func text(_ values: [DBusValue]) -> String {
    values.map(text).joined(separator: " ")
  }

  static func text(_ value: DBusValue) -> String {
    switch value {
    case .string(let text): text
    case .objectPath(let path): path.text
    case .uint16(let number): "\(number)"
    case .variant(let variant): text(variant.value)
    case .array(let array): "[" + array.elements.map(text).joined(separator: " ") + "]"
    case .dictionary(let dictionary):
      "{" + dictionary.entries.map { "\(text($0.key)): \(text($0.value))" }.joined(separator: ", ")
        + "}"
    default: "\(value)"
    }
  }

  /// Calls a method of an object, and returns the reply.
  func call(
    _ interface: String, _ member: String, at path: ObjectPath, _ body: [DBusValue] = []
  ) throws -> [DBusValue] {
    let (client, server) = (client, server)
    let call = try MethodCall(
      destination: server.bus.uniqueName, path: path, interface: interface, member: member,
      body: body
    )
    return try loop.run { try await client.call(call).body }
  }

  func error(
    _ interface: String, _ member: String, at path: ObjectPath, _ body: [DBusValue] = []
  ) -> DBusError? {
    #expect(throws: DBusError.self) { try call(interface, member, at: path, body) }
  }

  /// Lets everything happen that is left.
  func drain() {
    #expect(throws: LoopIdle.self) { try loop.drive { false } }
  }

  // MARK: Tests

  @Test("a property value that cannot be sent fails its reader, and no signal is sent")
  func unsendable() throws {
    server.add([lampInterface], at: Self.device)
    drain()
    received.removeAll()
    lamp.name.withLock { $0 = "lamp\0" }
    server.changed("Name", of: "org.example.Lamp", at: Self.device)
    drain()
    #expect(received.all == [])
    let properties = "org.freedesktop.DBus.Properties"
    let read = [DBusValue.string("org.example.Lamp"), .string("Name")]
    #expect(error(properties, "Get", at: Self.device, read)?.name == .failed)
    lamp.name.withLock { $0 = "lamp" }
    #expect(try call(properties, "Get", at: Self.device, read) == [.variant(of: .string("lamp"))])
  }

  @Test("added and removed interfaces are announced at the root, with their properties")
  func comingAndGoing() {
    server.add([lampInterface], at: Self.device)
    drain()
    server.add([ExportedInterface("org.example.Battery")], at: Self.device)
    drain()
    server.remove(["org.example.Battery"], from: Self.device)
    drain()
    server.remove(Self.device)
    drain()
    let standard = "org.freedesktop.DBus"
    #expect(
      received.all == [
        "InterfacesAdded / \(Self.device) {\(standard).Introspectable: {}, "
          + "org.example.Lamp: {Level: 1, Name: lamp}, \(standard).Properties: {}}",
        "InterfacesAdded / \(Self.device) {org.example.Battery: {}}",
        "InterfacesRemoved / \(Self.device) [org.example.Battery]",
        "InterfacesRemoved / \(Self.device) "
          + "[\(standard).Properties \(standard).Introspectable org.example.Lamp]",
      ]
    )
  }

  @Test(
    "changes of one turn are sent as one signal, in the order first marked, with the last values"
  )
  func batching() {
    server.add([lampInterface], at: Self.device)
    drain()
    server.changed("Name", of: "org.example.Lamp", at: Self.device)
    server.changed("Level", of: "org.example.Lamp", at: Self.device)
    server.changed("Name", of: "org.example.Lamp", at: Self.device)
    lamp.level.withLock { $0 = 9 }
    lamp.name.withLock { $0 = "torch" }
    drain()
    #expect(
      received.all.dropFirst() == [
        "PropertiesChanged \(Self.device) org.example.Lamp {Name: torch, Level: 9} []"
      ]
    )
  }

  @Test("a property that becomes absent is invalidated")
  func invalidated() {
    server.add([lampInterface], at: Self.device)
    drain()
    lamp.name.withLock { $0 = nil }
    server.changed("Name", of: "org.example.Lamp", at: Self.device)
    drain()
    #expect(received.all.last == "PropertiesChanged \(Self.device) org.example.Lamp {} [Name]")
  }

  @Test("values that are announced immediately are not coalesced")
  func announced() {
    server.add([lampInterface], at: Self.device)
    drain()
    for level in 2...3 {
      lamp.level.withLock { $0 = UInt16(level) }
      server.announce("Level", of: "org.example.Lamp", at: Self.device)
    }
    drain()
    #expect(
      received.all.dropFirst() == [
        "PropertiesChanged \(Self.device) org.example.Lamp {Level: 2} []",
        "PropertiesChanged \(Self.device) org.example.Lamp {Level: 3} []",
      ]
    )
  }

  @Test("an interface removed before its announcement sends no signal; changes are sent once")
  func silent() {
    server.add([lampInterface], at: Self.device)
    server.changed("Level", of: "org.example.Lamp", at: Self.device)
    drain()
    #expect(received.all.count == 1)
    server.add([ExportedInterface("org.example.Battery")], at: Self.device)
    server.remove(["org.example.Battery"], from: Self.device)
    drain()
    #expect(received.all.count == 1)
  }

  @Test("the removal of an object is announced before the object is added again")
  func again() {
    server.add([lampInterface], at: Self.device)
    drain()
    server.remove(Self.device)
    server.add([lampInterface], at: Self.device)
    drain()
    let signals = received.all.map { $0.prefix(13) }
    #expect(signals == ["InterfacesAdd", "InterfacesRem", "InterfacesAdd"])
  }

  @Test("the signals that a call causes are sent before its reply")
  func effectsFirst() throws {
    server.add([lampInterface], at: Self.device)
    drain()
    #expect(try call("org.example.Lamp", "Raise", at: Self.device, [.uint16(4)]) == [.uint16(5)])
    // No more than the reply has been waited for.
    #expect(received.all.last == "PropertiesChanged \(Self.device) org.example.Lamp {Level: 5} []")
  }

  @Test("a signal follows the changes that were marked before it")
  func emitted() throws {
    server.add([lampInterface], at: Self.device)
    try server.emit("Flickered", of: "org.example.Lamp", at: Self.device, [.uint16(2)])
    drain()
    #expect(received.all.last == "Flickered \(Self.device) 2")
    #expect(received.all.count == 2)
  }

  @Test("properties are read, set and listed")
  func properties() throws {
    server.add([lampInterface], at: Self.device)
    let properties = StandardInterface.properties
    let lamp = DBusValue.string("org.example.Lamp")
    _ = try call(
      properties, "Set", at: Self.device, [lamp, .string("Level"), .variant(of: .uint16(7))]
    )
    #expect(
      try call(properties, "Get", at: Self.device, [lamp, .string("Level")])
        == [.variant(of: .uint16(7))]
    )
    self.lamp.name.withLock { $0 = nil }
    #expect(
      try call(properties, "GetAll", at: Self.device, [lamp])
        == [.properties(["Level": .uint16(7)])]
    )
  }

  @Test(
    "a refused property access has BlueZ's error message",
    arguments: [
      (
        "Get", ["org.example.No", "Level"], nil, "InvalidArgs", "No such interface 'org.example.No'"
      ),
      ("Get", ["org.example.Lamp", "No"], nil, "InvalidArgs", "No such property 'No'"),
      ("GetAll", ["org.example.No"], nil, "InvalidArgs", "No such interface 'org.example.No'"),
      ("Set", ["org.example.Lamp", "No"], .byte(1), "UnknownProperty", "No such property 'No'"),
      (
        "Set", ["org.example.Lamp", "Name"], .string("x"), "PropertyReadOnly",
        "Property 'Name' is not writable"
      ),
      (
        "Set", ["org.example.Lamp", "Level"], .string("x"), "InvalidSignature",
        "Invalid signature for 'Level'"
      ),
    ] as [(String, [String], DBusValue?, String, String)]
  )
  func propertyErrors(
    member: String, texts: [String], value: DBusValue?, name: String, message: String
  ) {
    server.add([lampInterface], at: Self.device)
    let body = texts.map { DBusValue.string($0) } + (value.map { [.variant(of: $0)] } ?? [])
    let failure = error(StandardInterface.properties, member, at: Self.device, body)
    #expect(
      failure
        == DBusError(
          name: DBusError.Name(rawValue: "org.freedesktop.DBus.Error.\(name)"), message: message
        )
    )
  }

  @Test("an unknown object, method or signature has libdbus's error message")
  func unknown() {
    server.add([lampInterface], at: Self.device)
    func text(_ member: String, _ signature: String) -> String {
      "Method \"\(member)\" with signature \"\(signature)\" on interface \"org.example.Lamp\""
        + " doesn't exist\n"
    }
    #expect(
      error("org.example.Lamp", "Lower", at: Self.device)
        == DBusError(name: .unknownMethod, message: text("Lower", ""))
    )
    #expect(
      error("org.example.Lamp", "Raise", at: Self.device, [.byte(1)])
        == DBusError(name: .unknownMethod, message: text("Raise", "y"))
    )
    #expect(
      error("org.example.Lamp", "Raise", at: "/org/example/hci0/dev_2", [.uint16(1)])
        == DBusError(name: .unknownObject, message: text("Raise", "q"))
    )
    #expect(
      error("org.example.Lamp", "Raise", at: Self.adapter, [.uint16(1)])
        == DBusError(name: .unknownMethod, message: text("Raise", "q"))
    )
  }

  @Test("only objects with properties implement the Properties interface")
  func propertiesOfSome() throws {
    let plain: ObjectPath = "/org/example/plain"
    server.add([ExportedInterface("org.example.Plain")], at: plain)
    server.add([lampInterface], at: Self.device)
    #expect(
      error(StandardInterface.properties, "GetAll", at: plain, [.string("org.example.Plain")])?.name
        == .unknownMethod
    )
    drain()
    server.remove(plain)
    drain()
    let standard = "org.freedesktop.DBus"
    #expect(
      received.all.last
        == "InterfacesRemoved / \(plain) [\(standard).Introspectable org.example.Plain]"
    )
  }

  @Test("the newest of several siblings is listed first")
  func listing() throws {
    let names = ["/a", "/a/one", "/a/one/two", "/a/three", "/b"]
    for name in names {
      server.add([ExportedInterface("org.example.Plain")], at: ObjectPath(stringLiteral: name))
    }
    let objects = try call(StandardInterface.objectManager, "GetManagedObjects", at: .root)
    let listed = objects[0].asDictionary?.entries.map { Self.text($0.key) }
    #expect(listed == ["/b", "/a", "/a/three", "/a/one", "/a/one/two"])
  }

  @Test("GetManagedObjects lists all objects, parents first, without the object manager itself")
  func managedObjects() throws {
    server.add([lampInterface], at: Self.device)
    server.add([ExportedInterface("org.example.Adapter")], at: Self.adapter)
    server.add([ExportedInterface("org.example.Root")], at: .root)
    let objects = try call(StandardInterface.objectManager, "GetManagedObjects", at: .root)
    let standard = "org.freedesktop.DBus"
    #expect(
      Self.text(objects)
        == "{\(Self.adapter): {\(standard).Introspectable: {}, org.example.Adapter: {}}, "
        + "\(Self.device): {\(standard).Introspectable: {}, "
        + "org.example.Lamp: {Level: 1, Name: lamp}, \(standard).Properties: {}}}"
    )
  }

  @Test("introspection describes the nodes above the objects")
  func introspection() throws {
    server.add([lampInterface], at: Self.device)
    func xml(_ path: ObjectPath) throws -> String {
      try call(StandardInterface.introspectable, "Introspect", at: path)[0].asString ?? ""
    }
    #expect(try xml(.root).contains("<node name=\"org\"/>"))
    #expect(try xml(.root).contains("GetManagedObjects"))
    #expect(try xml("/org/example").contains("<node name=\"hci0\"/>"))
    #expect(
      try xml(Self.device).contains(
        """
        <interface name="org.example.Lamp"><method name="Raise">\
        <arg name="by" type="q" direction="in"/>
        <arg name="level" type="q" direction="out"/>
        </method><signal name="Flickered"><arg name="times" type="u"/>
        </signal>
        <property name="Level" type="q" access="readwrite"></property>\
        <property name="Name" type="s" access="read"></property></interface>
        """
      )
    )
    #expect(try xml("/org/example/none").hasSuffix("\n<node>\n</node>\n"))
  }
}
