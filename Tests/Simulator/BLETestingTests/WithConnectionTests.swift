// Async code with a connection, as a user of the package writes it.

import BLETesting
import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import Testing

@Suite("withConnection")
struct WithConnectionTests {
  private static let limit = Duration.seconds(900)

  @Test("one turn reads, writes and receives with the caller's variables, and then disconnects")
  func success() async throws {
    let world = try ConnectionWorld.real()
    let device = try world.service()
    var celsius: [Double] = []
    let level = try await device.withConnection(within: Self.limit) { connection in
      #expect(connection.origin == .made)
      try await connection.write([2], to: "alert-level")
      #expect(try await connection.read("alert-level") == [2])
      for try await measured in connection.notifications(.temperatureMeasurement).prefix(3) {
        celsius.append(measured.celsius)
      }
      #expect(try await connection.services().count > 2)
      return try await connection.read(.batteryLevel)
    }
    #expect(level == 42)
    #expect(celsius.count == 3 && celsius.allSatisfy { $0 > 36 && $0 < 37 })
    // Everything was awaited: nothing remains when the call returns.
    #expect(world.isReleased)
    #expect(world.count("GattCharacteristic1.StopNotify") == 1)
    #expect(world.count(SimulatorLogEntry.Event.linkUp) == 1)
    #expect(world.happened.last == SimulatorLogEntry.Event.linkDown)
  }

  @MainActor private final class Model {
    var levels: [Int] = []

    func load(_ device: any Device) async throws {
      try await device.withConnection(within: WithConnectionTests.limit) { connection in
        levels.append(try await connection.read(.batteryLevel))
        MainActor.assertIsolated()
      }
    }
  }

  @Test("the closure runs on the caller's actor")
  func actor() async throws {
    let world = try ConnectionWorld.real()
    let model = Model()
    try await model.load(try world.service())
    try await model.load(try world.service())
    #expect(await model.levels == [42, 42])
    #expect(world.isReleased)
  }

  @Test("an error inside the closure is thrown unchanged, and the device disconnects")
  func failure() async throws {
    let world = try ConnectionWorld.real()
    let device = try world.service()
    let failure = await #expect(throws: DeviceFailure.self) {
      try await device.withConnection(within: Self.limit) { connection in
        for try await _ in connection.notifications(.temperatureMeasurement) {
          _ = try await connection.read("heart-rate-measurement")
        }
      }
    }
    #expect(failure?.code == .characteristicMissing)
    #expect(world.count("GattCharacteristic1.StopNotify") == 1)
    #expect(world.isReleased)
    let lost = await #expect(throws: DeviceFailure.self) {
      try await device.withConnection(within: Self.limit) { connection in
        for try await _ in connection.notifications(.temperatureMeasurement) {
          try world.dropLink()
        }
      }
    }
    #expect(lost?.code == .linkLost)
    let (up, down) = (SimulatorLogEntry.Event.linkUp, SimulatorLogEntry.Event.linkDown)
    #expect(world.count(up) == world.count(down))
  }

  @Test("leaving a loop ends its subscription before the next operation is sent")
  func leaving() async throws {
    let world = try ConnectionWorld.real()
    let device = try world.service()
    try await device.withConnection(within: Self.limit) { connection in
      for _ in 0..<3 {
        for try await _ in connection.notifications("temperature-measurement") { break }
        _ = try await connection.read(.batteryLevel)
      }
      for try await _ in connection.notifications("temperature-measurement").prefix(1) {}
    }
    let calls = world.happened.filter {
      $0.hasPrefix("GattCharacteristic1.") || $0 == "Device1.Disconnect"
    }
    let (start, stop) = ("GattCharacteristic1.StartNotify", "GattCharacteristic1.StopNotify")
    let round = [start, stop, "GattCharacteristic1.ReadValue"]
    #expect(calls == round + round + round + [start, stop, "Device1.Disconnect"])
    #expect(world.isReleased)
  }

  @Test("a subscription is active before the values that it should receive are sent")
  func subscribed() async throws {
    let world = try ConnectionWorld.real()
    let device = try world.service()
    let seen = try await device.withConnection(within: Self.limit) { connection in
      let values = try await connection.subscribe("battery-level")
      try world.setValue([5], of: "battery-level")
      try world.setValue([6], of: "battery-level")
      var seen: [[UInt8]] = []
      for try await value in values {
        seen.append(value.value)
        if seen.count == 2 { break }
      }
      return seen
    }
    #expect(seen == [[5], [6]])
    #expect(world.isReleased)
  }

  @Test("the values of a session can be iterated, and the session ends with the loop")
  func session() async throws {
    let world = try ConnectionWorld.real()
    let device = try world.service()
    let temperature = CharacteristicSelector("temperature-measurement")
    var count = 0
    for try await _ in device.session({ device.notifications(temperature) }).values.prefix(3) {
      count += 1
    }
    #expect(count == 3)
    // The next turn begins when that one has ended.
    let level = try await device.session { device.read("battery-level") }.first(within: Self.limit)
    #expect(level == [42])
    #expect(world.isReleased)
  }

  @Test("a consumer that stops ends the connection whose closure sends it values")
  func sending() throws {
    let world = try SimulatedWorld(ConnectionWorld.thermometer)
    let device = try world.service()
    let levels = Signal<Int>(home: device.scheduler) { sink in
      try await device.withConnection(within: Self.limit) { connection in
        while true { try await sink(try await connection.read(.batteryLevel)) }
      }
    }
    #expect(try levels.take(2).collect().firstOrThrow(within: Self.limit) == [42, 42])
    #expect(world.count("GattCharacteristic1.ReadValue") == 2)
    #expect(world.isReleased)
  }

  // MARK: Several devices

  @Test("devices with separate schedulers work at the same time")
  func group() async throws {
    let world = try ConnectionWorld.real()
    let devices = [try world.own("Thermometer"), try world.own("Lamp")]
    // Each waits for the other inside its connection: one after the other would not end.
    let meeting = Mailbox<Int>(bound: 2)
    let back = Mailbox<Int>(bound: 2)
    let levels = try await withThrowingTaskGroup(of: Int.self) { group in
      for (index, device) in devices.enumerated() {
        group.addTask {
          try await device.withConnection(within: Self.limit) { connection in
            let level = try await connection.read(.batteryLevel)
            let (mine, theirs) = index == 0 ? (meeting, back) : (back, meeting)
            mine.send(level)
            _ = try await theirs.next(on: world.loop)
            return level
          }
        }
      }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(levels == [42, 7])
    #expect(world.isReleased)
  }

  @Test("devices with one scheduler take turns, and share the turn inside a connection")
  func shared() async throws {
    let world = try ConnectionWorld.real()
    let (thermometer, lamp) = (try world.service("Thermometer"), try world.service("Lamp"))
    async let first = thermometer.withConnection(within: Self.limit) {
      try await $0.read(.batteryLevel)
    }
    async let second = lamp.withConnection(within: Self.limit) { try await $0.read(.batteryLevel) }
    let both = try await [first, second]
    #expect(both == [42, 7])
    let up = SimulatorLogEntry.Event.linkUp
    let down = SimulatorLogEntry.Event.linkDown
    #expect(world.happened.filter { $0 == up || $0 == down } == [up, down, up, down])
    let sum = try await thermometer.withConnection(within: Self.limit) { outer in
      let inner = try await lamp.withConnection(within: Self.limit) { inner in
        try await inner.read(.batteryLevel) + outer.read(.batteryLevel)
      }
      #expect(world.happened.last == down)
      return try await inner + outer.read(.batteryLevel)
    }
    #expect(sum == 42 + 7 + 42)
    #expect(world.isReleased)
  }

  @Test("a connection on another scheduler inside a connection fails at once")
  func otherScheduler() async throws {
    let world = try ConnectionWorld.real()
    let (thermometer, lamp) = (try world.own("Thermometer"), try world.own("Lamp"))
    try await thermometer.withConnection(within: Self.limit) { connection in
      let failure = await #expect(throws: OtherScheduler.self) {
        try await lamp.withConnection(within: Self.limit) { try await $0.read(.batteryLevel) }
      }
      #expect(failure?.wanted == "Lamp" && failure?.present == "Thermometer")
      let level = try await connection.read(.batteryLevel)
      #expect(level == 42)
    }
    #expect(world.count("Device1.Connect") == 1)
    #expect(world.isReleased)
  }

  // MARK: Beyond the closure

  @Test("tasks in the closure can use the connection, but not after the closure returns")
  func escaped() async throws {
    let world = try ConnectionWorld.real()
    let device = try world.service()
    let (connection, values) = try await device.withConnection(within: Self.limit) { connection in
      async let level = connection.read(.batteryLevel)
      let detached = Task.detached(priority: Task.currentPriority) {
        try await connection.read(.batteryLevel)
      }
      let levels = try await [level, detached.value]
      #expect(levels == [42, 42])
      return (connection, connection.notifications(.temperatureMeasurement))
    }
    await #expect(throws: TurnEnded.self) { try await connection.read(.batteryLevel) }
    await #expect(throws: TurnEnded.self) { for try await _ in values {} }
    try await device.withConnection(within: Self.limit) { _ in
      _ = await #expect(throws: TurnEnded.self) { try await connection.read(.batteryLevel) }
    }
    #expect(world.count("GattCharacteristic1.ReadValue") == 2)
    #expect(world.isReleased)
  }

  @Test("a loop in an unawaited task ends when the closure returns")
  func forgotten() async throws {
    let world = try ConnectionWorld.real()
    let device = try world.service()
    let begun = Mailbox<Bool>(bound: 1)
    let forgotten = try await device.withConnection(within: Self.limit) { connection in
      let task = Task.detached(priority: Task.currentPriority) {
        var isFirst = true
        for try await _ in connection.notifications(.temperatureMeasurement) {
          if isFirst { begun.send(true) }
          isFirst = false
        }
      }
      _ = try await begun.next(on: world.loop)
      return task
    }
    #expect(world.count("GattCharacteristic1.StopNotify") == 1)
    #expect(world.isReleased)
    await #expect(throws: TurnEnded.self) { try await forgotten.value }
  }

  @Test("a misspelt name in the source stops the program")
  func misspelt() async {
    await #expect(processExitsWith: .failure) {
      let name: CharacteristicSelector = "batery-level"
      _ = name
    }
  }
}
