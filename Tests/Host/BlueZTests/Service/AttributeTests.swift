// Reads, writes, services and notifications.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import Testing

@testable import BlueZ

@Suite("Attributes of a connected device")
struct AttributeTests {
  let bench: Bench

  var bluez: ScriptedBlueZ { bench.bluez }
  let level: CharacteristicSelector

  init() throws {
    bench = try Bench()
    level = try CharacteristicSelector(parsing: "2a19")
  }

  /// A connected service, in a turn around `body`.
  func connected<Value: Sendable>(
    _ body: @escaping @Sendable (BlueZDevice) -> Signal<Value>
  ) throws -> Signal<Value> {
    let service = try bench.service()
    return service.connect().flattenMap { body(service) }
  }

  @Test("services are listed with their value handles and the current MTU")
  func lists() throws {
    let services = try bench.first(connected { $0.services() })
    #expect(services.map(\.handle) == [6])
    let characteristic = try #require(services.first?.characteristics.first)
    #expect(characteristic.handle == 8)
    #expect(characteristic.mtu == 517)
    #expect(characteristic.properties == [.read, .write, .notify])
  }

  @Test("the error for a missing characteristic lists the existing ones")
  func missing() throws {
    let other = try CharacteristicSelector(parsing: "2a37")
    let failure = try bench.failure(connected { $0.read(other) })
    #expect(failure.code == .characteristicMissing)
    #expect(failure.class == .definite)
    #expect(failure.meaning.contains("battery-level"))
  }

  @Test("without a connection, an operation fails with not-connected")
  func notConnected() throws {
    let service = try bench.service()
    #expect(try bench.failure(service.read(level)).code == .notConnected)
    #expect(bluez.calls.isEmpty)
  }

  @Test("a write uses the write type that the characteristic supports")
  func writes() throws {
    let options = Guarded<PropertyMap?>(nil)
    bluez.script("WriteValue") { _, call in
      options.withLock { $0 = call.message.body.last?.asPropertyMap }
      call.reply()
    }
    try bench.first(connected { $0.write([1], to: level, kind: .automatic) })
    #expect(options.withLock { $0 } == ["type": .string("request")])
  }

  @Test("values notified before StartNotify replies or during the trigger are not lost")
  func subscribesThenTriggers() throws {
    bluez.script("StartNotify") { bluez, call in
      bluez.notify([1])
      call.reply()
    }
    bluez.script("WriteValue") { bluez, call in
      bluez.notify([2])
      call.reply()
      bluez.notify([3])
    }
    let values = try bench.first(
      connected { service in
        service.subscribe(level).flattenMap { stream in
          service.write([0], to: level, kind: .automatic).flattenMap { stream }
        }
        .map(\.value).take(3).collect()
      }
    )
    #expect(values == [[1], [2], [3]])
    #expect(bluez.calls == ["Connect", "StartNotify", "WriteValue", "StopNotify", "Disconnect"])
  }
}
