// A device whose behaviour a function decides, in virtual time.

import Bluetooth
import Dispatch
import Documents
import Signals
import SimulatedDevices
import Testing

@Suite("Logic")
struct LogicTests {
  private static let text = """
    name: Door-1
    address: C0:FF:EE:00:00:06
    names: { door: fff0, pin: fff1, state: fff2 }
    services:
      - service: door
        characteristics:
          - { characteristic: pin, properties: [read, write, write-without-response], longest: 4, echo: true }
          - { characteristic: state, properties: [read, notify], value: { u8: 1 } }
    """

  /// A device, the events its logic received, and their answers.
  private struct Door {
    let bench: DeviceBench
    let asked = Guarded<[String]>([])
    let errors = Guarded<[LogicError]>([])
    let pin: UInt16
    let state: UInt16

    /// - Parameter answers: By the title of the event; what is not there has an empty answer.
    init(_ answers: [String: LogicAnswer] = [:], handles: [String]? = nil) throws {
      bench = DeviceBench(try #require(try DeviceFile.parse(text, file: "door.yaml").first))
      (pin, state) = (try bench.handle(.first), try bench.handle(.second))
      let (asked, errors) = (asked, errors)
      bench.device.onLogicError { error in errors.withLock { $0.append(error) } }
      let logic = DeviceLogic { event in
        asked.withLock { $0.append(event.title) }
        if event.title == "start" { return LogicAnswer(handles: handles) }
        return answers[event.title] ?? LogicAnswer()
      }
      try bench.device.setLogic(logic)
    }

    var titles: [String] { asked.withLock { $0 } }
    var device: SimulatedDevice { bench.device }
    func sent(_ handle: UInt16) -> [Sent] { bench.sent(on: handle) }
  }

  @Test("without an answer from the logic, the device behaves as it does without logic")
  func usual() throws {
    let door = try Door()
    try door.bench.write(door.pin, [1, 2])
    #expect(try door.bench.read(door.pin) == [1, 2])
    try door.bench.subscribe(door.state)
    try door.bench.subscribe(door.state, nil)
    door.device.linkDown()
    door.device.linkDown()
    door.device.linkUp()
    #expect(
      door.titles == [
        "start", "write pin", "read pin", "subscribed state", "unsubscribed state", "disconnected",
        "connected",
      ]
    )
  }

  @Test("in real time, events from any thread reach the logic one after the other")
  func fromAnyThread() throws {
    let loop = EventLoop()
    defer { loop.end() }
    let definition = try #require(try DeviceFile.parse(Self.text, file: "door.yaml").first)
    let device = SimulatedDevice(definition, on: loop, generator: SeededGenerator(seed: 1))
    let asked = Guarded<[Int]>([])
    try device.setLogic(
      DeviceLogic { event in
        asked.withLock { $0.append(event.id) }
        return LogicAnswer()
      }
    )
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<50 { device.linkUp() }
    }
    #expect(asked.withLock { $0 } == Array(1...401))
  }

  @Test("a value or an error from the logic replaces the device's own answer")
  func rulings() throws {
    let door = try Door([
      "write pin": LogicAnswer(value: [9]),
      "read state": LogicAnswer(error: ATTErrorCode(rawValue: 0x80)),
    ])
    try door.bench.write(door.pin, [1, 2])
    #expect(try door.bench.read(door.pin) == [9])
    #expect(door.device.read(door.state) == .failure(ATTErrorCode(rawValue: 0x80)))
    let other = try Door([
      "write pin": LogicAnswer(error: .valueNotAllowed), "read state": LogicAnswer(value: [7, 7]),
    ])
    #expect(other.device.write(other.pin, [1], withResponse: false).error == .valueNotAllowed)
    #expect(try other.bench.read(other.pin) == [])
    #expect(try other.bench.read(other.state) == [7, 7])
    #expect(other.device.value(at: other.state) == [1])
  }

  @Test("operations that the device itself refuses do not reach the logic")
  func refused() throws {
    let door = try Door()
    #expect(door.device.write(door.state, [1], withResponse: true).error == .writeNotPermitted)
    let long = door.device.write(door.pin, [1, 2, 3, 4, 5], withResponse: true)
    #expect(long.error == .invalidAttributeValueLength)
    #expect(door.titles == ["start"])
  }

  @Test("a timer fires in the world's time, and a new timer of the same name replaces it")
  func timers() throws {
    let door = try Door([
      "write pin": LogicAnswer(actions: [.notify("state", [0]), .wake("relock", in: .seconds(5))]),
      "timer relock": LogicAnswer(actions: [.notify("door/state", [1]), .disconnect]),
    ])
    let gone = Guarded<[DevicePresence]>([])
    door.device.onPresence { presence in gone.withLock { $0.append(presence) } }
    try door.bench.subscribe(door.state)
    try door.bench.write(door.pin, [1])
    try door.bench.run(to: 3_000)
    try door.bench.write(door.pin, [2])
    try door.bench.run(to: 9_000)
    #expect(door.sent(door.state) == [Sent(0, [0]), Sent(3_000, [0]), Sent(8_000, [1])])
    #expect(gone.withLock { $0 } == [.endsLink])
    #expect(door.titles.filter { $0.hasPrefix("timer") } == ["timer relock"])
  }

  @Test("an answer changes values and the advertisement, in order")
  func actions() throws {
    let rssi = try Document.parse("{ rssi: -70, rssi-spread: 0 }", file: "test")
    let door = try Door([
      "write pin": LogicAnswer(actions: [
        .notify("state", [5]), .set("fff2", [6]), .advertise(rssi),
      ])
    ])
    try door.bench.subscribe(door.state)
    try door.bench.write(door.pin, [1])
    try door.bench.run(to: 1)
    #expect(door.sent(door.state) == [Sent(0, [5])])
    #expect(door.device.value(at: door.state) == [6])
    #expect(door.device.advertisement().rssi == -70)
  }

  @Test(
    "a value that an answer sets or notifies is read in the same instant, and replaces the write")
  func storedAtOnce() throws {
    let door = try Door([
      "write pin": LogicAnswer(actions: [.notify("state", [5]), .set("pin", [9])]),
      "read state": LogicAnswer(actions: [.set("state", [6])]),
    ])
    try door.bench.write(door.pin, [1])
    #expect(try door.bench.read(door.pin) == [9])
    #expect(try door.bench.read(door.state) == [5], "a value set on a read is read next time")
    #expect(try door.bench.read(door.state) == [6])
  }

  @Test("the logic receives only the events it handles")
  func handled() throws {
    let door = try Door(handles: ["write pin", "connected"])
    try door.bench.write(door.pin, [1])
    _ = try door.bench.read(door.pin)
    try door.bench.subscribe(door.state)
    door.device.linkDown()
    door.device.linkUp()
    #expect(door.titles == ["start", "write pin", "connected"])
    door.device.handle(try LogicEvents(["read 0xfff2"], of: door.device.table))
    try door.bench.write(door.pin, [1])
    _ = try door.bench.read(door.state)
    #expect(door.titles == ["start", "write pin", "connected", "read state"])
  }

  static let unknown: [(LogicAnswer, String)] = [
    (LogicAnswer(actions: [.notify("stat", [1])]), "did you mean 'state'?"),
    (
      LogicAnswer(actions: [.set("pin", [1]), .wake("x", in: .seconds(1)), .set("nobody", [1])]),
      "'nobody'"
    ),
  ]

  @Test(
    "an invalid answer has no effect, is reported once, and refuses the request", arguments: unknown
  )
  func wrong(_ answer: LogicAnswer, _ problem: String) throws {
    let door = try Door(["write pin": answer], handles: ["write pin"])
    #expect(door.device.write(door.pin, [1], withResponse: true).error == .unlikelyError)
    #expect(door.device.write(door.pin, [1], withResponse: true).error == .unlikelyError)
    try door.bench.run(to: 2_000)
    #expect(try door.bench.read(door.pin) == [])
    #expect(door.titles == ["start", "write pin"])
    let errors = door.errors.withLock { $0 }
    #expect(errors.count == 1)
    #expect(errors.first?.description.contains(problem) == true, "\(errors)")
    #expect(errors.first?.description.contains("at 'write pin'") == true, "\(errors)")
    try door.device.setLogic(nil)
    try door.bench.write(door.pin, [3])
    #expect(try door.bench.read(door.pin) == [3])
  }

  @Test("an invalid answer to start leaves the device without logic")
  func start() throws {
    let door = try Door()
    let wrong = DeviceLogic { _ in LogicAnswer(handles: ["writes pin"]) }
    #expect(throws: LogicError.self) { try door.device.setLogic(wrong) }
    try door.bench.write(door.pin, [3])
    #expect(try door.bench.read(door.pin) == [3])
    #expect(door.titles == ["start"])
  }

  @Test("the logic's seed depends on the world's seed and the device")
  func seed() throws {
    func seed(_ address: UInt64, of world: UInt64) throws -> String {
      let seeds = Guarded("")
      let definition = DeviceDefinition(address: BluetoothAddress(number: address))
      let device = SimulatedDevice(
        definition, on: VirtualTimeLoop(),
        generator: SeededGenerator(seed: world).split("\(definition.address)")
      )
      try device.setLogic(
        DeviceLogic { event in
          seeds.withLock { $0 = event.line }
          return LogicAnswer()
        }
      )
      return seeds.withLock { $0 }.split(separator: "seed").last.map(String.init) ?? ""
    }
    #expect(try seed(1, of: 3) == seed(1, of: 3))
    #expect(try seed(1, of: 3) != seed(2, of: 3))
    #expect(try seed(1, of: 3) != seed(1, of: 4))
  }
}
