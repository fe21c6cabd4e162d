// Every checker detects the violations that it is for.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices
import Testing

@testable import DBus
@testable import SimulatedRuns

@Suite("The rules of a run")
struct CheckTests {
  /// Made anew each time: an enum's case is kept in spare bits of the address of what it holds, and
  /// the address sanitizer takes what only such an address leads to for lost.
  private static var world: World { World(seed: 0) }
  private static let address = world.devices[0].address
  private static let chain = ChainID(program: 0, number: 0)
  private static let other = ChainID(program: 0, number: 1)
  private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"

  private static func plan(_ steps: [ChainStep] = []) -> ChainPlan {
    ChainPlan(
      device: 0, start: .zero, way: .awaited, limit: .seconds(1), cancelledAfter: nil, steps: steps
    )
  }

  /// The rules broken by these sightings, each reported at the second of its position.
  private static func broken(_ sightings: [Sighting]) -> [String] {
    var checks = Checks(world)
    for (second, sighting) in sightings.enumerated() {
      checks.apply(sighting, at: Instant(sinceStart: .seconds(second)))
    }
    checks.finish(at: Instant(sinceStart: .seconds(sightings.count)))
    return checks.problems.map(\.rule)
  }

  private static func signal(
    _ member: String, _ interface: String, _ path: ObjectPath, _ body: [DBusValue]
  ) throws -> Sighting {
    .message(try Message.signal(path: path, interface: interface, member: member, body: body))
  }

  @Test("a scan that succeeds although StartDiscovery was not answered breaks the rule")
  func unstartedScan() {
    let (chain, step) = (Self.chain, ChainStep.scan(.seconds(1)))
    let seen: [Sighting] = [
      .joined(program: 0, name: ":1.5"), .requested(chain, Self.plan([step])), .turnBegan(chain),
      .stepBegan(chain, 0, step), .stepValue(chain, 0, .nothing), .stepEnded(chain, 0),
      .turnEnded(chain), .ended(chain, ChainEnding(error: nil)),
    ]
    #expect(Self.broken(seen) == ["A scan that succeeds was started"])
  }

  @Test(
    "a subscription that resumes but stays idle after a drop breaks the rule")
  func silence() throws {
    let (chain, path) = (Self.chain, Self.device)
    let step = ChainStep.notify(
      DeviceDraft.alertLevel, count: 1, SubscriptionOptions(onLinkLoss: .resume)
    )
    func message(_ kind: Message.Kind) -> Sighting {
      var contents = Message.Contents(kind: kind)
      if kind == .methodCall {
        contents.sender = ":1.5"
        contents.path = path
        contents.interface = GattCharacteristic1.interface
        contents.member = GattCharacteristic1.startNotify.name
      } else {
        contents.destination = ":1.5"
        contents.replySerial = 7
      }
      var message = Message(contents)
      message.serial = 7
      return .message(message)
    }
    let start: [Sighting] = [
      .joined(program: 0, name: ":1.5"), .requested(chain, Self.plan([step])),
      .stepBegan(chain, 0, step), message(.methodCall), message(.methodReturn),
      .device(.linkDown(Self.address)),
    ]
    let rule = "A subscription that resumes is not silent"
    func isBroken(after seconds: Int, _ last: Sighting) -> Bool {
      var check = ResumptionCheck(Self.world)
      for sighting in start { check.apply(sighting, at: .start) }
      check.apply(last, at: .start + .seconds(seconds))
      check.finish(at: .start + .seconds(60))
      return check.problems.map(\.rule) == [rule]
    }
    #expect(isBroken(after: 11, .stepEnded(chain, 0)))
    #expect(isBroken(after: 11, message(.methodCall)))
    #expect(!isBroken(after: 9, .stepEnded(chain, 0)))
    #expect(!isBroken(after: 9, message(.methodCall)))
    #expect(!isBroken(after: 9, .disturbance(.stall(nil))))
  }

  @Test("a correct run breaks no rule")
  func nothing() {
    let (chain, plan) = (Self.chain, Self.plan([.connect(keep: false)]))
    let seen: [Sighting] = [
      .requested(chain, plan), .turnBegan(chain), .stepBegan(chain, 0, .connect(keep: false)),
      .device(.linkUp(Self.address)), .device(.linkDown(Self.address)), .stepEnded(chain, 0),
      .turnEnded(chain), .ended(chain, ChainEnding(error: nil)),
    ]
    #expect(Self.broken(seen) == [])
  }

  @Test("overlapping turns, a second ending and a chain without an ending are detected")
  func endings() {
    let plan = Self.plan()
    let end = Sighting.ended(Self.chain, ChainEnding(error: nil))
    let overlap: [Sighting] = [
      .requested(Self.chain, plan), .requested(Self.other, plan), .turnBegan(Self.chain),
      .turnBegan(Self.other),
    ]
    #expect(Self.broken(overlap).contains("No two turns of a scheduler overlap"))
    #expect(Self.broken(overlap).contains("Every chain ends"))
    #expect(
      Self.broken([.requested(Self.chain, plan), end, end]).contains("Every chain ends once"))
  }

  @Test("a chain that ends after its deadline and its clean-up limits is detected")
  func deadlines() {
    let wait = [Sighting](repeating: .healed, count: 40)
    let end = Sighting.ended(Self.chain, ChainEnding(error: nil))
    let broken = Self.broken([.requested(Self.chain, Self.plan())] + wait + [end])
    #expect(broken == ["A chain ends within its deadline and its clean-ups"])
  }

  @Test("a connection left up and a request without a connection are detected")
  func links() {
    let left: [Sighting] = [
      .device(.read(Self.address, DeviceDraft.alertLevel)), .device(.linkUp(Self.address)),
      .device(.linkUp(Self.address)),
    ]
    let broken = Self.broken(left)
    #expect(broken.contains("Nothing is done without a link"))
    #expect(broken.contains("A device has one link"))
    #expect(broken.contains("No link is left up"))
  }

  @Test("a subscription left in bluetoothd is detected, unless it ends right after the answer")
  func subscriptions() {
    let uuid = BluetoothUUID(short: 0x2a19)
    let kept: [Sighting] = [
      .healed, .device(.linkUp(Self.address)), .device(.subscribed(Self.address, uuid)),
    ]
    let down = Sighting.device(.linkDown(Self.address))
    let ended = Sighting.device(.unsubscribed(Self.address, uuid))
    let rule = "A subscription ends with its step"
    #expect(Self.broken(kept).contains(rule))
    #expect(Self.broken(kept + [down]) == [rule])
    #expect(Self.broken(kept + [ended, down]) == [])
  }

  @Test("a failure without a hint, and one whose cause did not happen, are detected")
  func failures() {
    let plan = Self.plan()
    let failure = DeviceFailure(
      code: .adapterOff, class: .unavailable, operation: "connecting", device: "Device-0",
      meaning: "the adapter is powered off", hint: ""
    )
    let broken = Self.broken([
      .requested(Self.chain, plan), .ended(Self.chain, ChainEnding(error: failure)),
    ])
    #expect(broken.contains("Errors explain"))
    #expect(broken.contains("A failure is reported as what it is"))
  }

  @Test("objects in the wrong order and signals of objects that do not exist are detected")
  func objects() throws {
    let manager = "org.freedesktop.DBus.ObjectManager"
    let properties = "org.freedesktop.DBus.Properties"
    func interfaces(_ name: String) throws -> DBusValue {
      .dictionary(
        try DBusDictionary(
          key: "s", value: "a{sv}", [(key: .string(name), value: .properties([:]))]
        )
      )
    }
    let orphan = try Self.signal(
      "InterfacesAdded",
      manager,
      "/",
      [.objectPath(Self.device), try interfaces("org.bluez.Device1")]
    )
    #expect(Self.broken([orphan]) == ["An object has a parent"])
    let unknown = try Self.signal(
      "PropertiesChanged",
      properties,
      Self.device,
      [.string("org.bluez.Device1"), .properties([:]), .strings([])]
    )
    #expect(Self.broken([unknown]) == ["No signal is sent about a missing object"])
  }

  @Test("a value that the device did not send and a missing value are detected")
  func values() {
    let (chain, uuid) = (Self.chain, DeviceDraft.alertLevel)
    let read: [Sighting] = [
      .device(.linkUp(Self.address)), .requested(chain, Self.plan([.read(uuid)])),
      .turnBegan(chain),
      .stepBegan(chain, 0, .read(uuid)), .stepValue(chain, 0, .octets([9])),
      .device(.linkDown(Self.address)), .stepEnded(chain, 0), .turnEnded(chain),
      .ended(chain, ChainEnding(error: nil)),
    ]
    #expect(Self.broken(read) == ["A read gives what the device held"])
  }

  @Test("an oversized value, and a failure that names one that was never sent, are detected")
  func sizes() {
    let (chain, uuid) = (Self.chain, DeviceDraft.measurement)
    let long = NotificationEvent.value(
      NotifiedValue(value: [UInt8](repeating: 0, count: 513), at: .start)
    )
    let failure = DeviceFailure(
      code: .invalidValue, class: .definite, operation: "reading", device: "Device-0",
      meaning: "a value of 513 bytes was received", hint: "check"
    )
    let seen: [Sighting] = [
      .requested(chain, Self.plan([.read(uuid)])), .turnBegan(chain),
      .stepBegan(chain, 0, .read(uuid)), .stepValue(chain, 0, .events([long])),
      .stepEnded(chain, 0), .turnEnded(chain), .ended(chain, ChainEnding(error: failure)),
    ]
    let rules = ["A value that is too long is refused", "A failure is reported as what it is"]
    #expect(Self.broken(seen) == rules)
  }

  @Test("a timeout that does not state whose deadline passed is detected")
  func unnamedDeadline() {
    let (chain, plan) = (Self.chain, Self.plan())
    let failure = DeviceFailure(
      code: .timedOut, class: .passing, operation: "connecting", device: "Device-0",
      meaning: "no answer came in time", hint: "try again"
    )
    let seen: [Sighting] = [
      .requested(chain, plan), .turnBegan(chain), .turnEnded(chain),
      .ended(chain, ChainEnding(error: failure)),
    ]
    #expect(Self.broken(seen) == ["Errors explain"])
  }
}
