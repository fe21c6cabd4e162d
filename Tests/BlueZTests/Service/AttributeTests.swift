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

  @Test("a read returns the value")
  func reads() throws {
    #expect(try bench.first(connected { $0.read(level) }) == [42])
  }

  @Test("services are listed with value handles and the current MTU")
  func lists() throws {
    let services = try bench.first(connected { $0.services() })
    #expect(services.map(\.handle) == [6])
    let characteristic = try #require(services.first?.characteristics.first)
    #expect(characteristic.handle == 8)
    #expect(characteristic.mtu == 517)
    #expect(characteristic.properties == [.read, .write, .notify])
  }

  @Test("a missing characteristic is reported with the existing ones")
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

  @Test("a value that is too long for any attribute is not sent")
  func tooLong() throws {
    let value = [UInt8](repeating: 0, count: 513)
    let failure = try bench.failure(connected { $0.write(value, to: level, kind: .automatic) })
    #expect(failure.code == .invalidValue)
    #expect(!bluez.calls.contains("WriteValue"))
  }

  @Test("a write uses the kind of write that the characteristic supports")
  func writes() throws {
    let options = Guarded<PropertyMap?>(nil)
    bluez.script("WriteValue") { _, call in
      options.withLock { $0 = call.message.body.last?.asPropertyMap }
      call.reply()
    }
    try bench.first(connected { $0.write([1], to: level, kind: .automatic) })
    #expect(options.withLock { $0 } == ["type": .string("request")])
  }

  @Test("a read that is pending when the connection drops fails with link-lost")
  func readAtLinkLoss() throws {
    bluez.script("ReadValue") { bluez, call in
      bluez.linkLost()
      call.fail(ErrorAnswer.failed("Operation failed with ATT error: 0x0e").dbusError)
    }
    let failure = try bench.failure(connected { $0.read(level) })
    #expect(failure.code == .linkLost)
    #expect(failure.bluez?.text == "Operation failed with ATT error: 0x0e")
  }

  @Test("values notified before StartNotify replies, and during the trigger, are not lost")
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
    #expect(
      bluez.calls == ["Connect", "StartNotify", "WriteValue", "StopNotify", "Disconnect"]
    )
  }

  @Test("the echo of our own read is not a notification")
  func dropsEcho() throws {
    let values = try bench.first(
      connected { service in
        service.subscribe(level).flattenMap { stream in
          service.read(level).flattenMap { _ in
            bluez.notify([43])
            return stream
          }
        }
        .map(\.value).take(1).collect()
      }
    )
    #expect(values == [[43]])
  }

  @Test("two subscribers share one subscription of bluetoothd")
  func oneSubscription() throws {
    let values = try bench.first(
      connected { service in
        service.subscribe(level).flattenMap { one in
          service.subscribe(level).flattenMap { two in
            bluez.notify([9])
            return one.take(1).flattenMap { first in two.take(1).map { [first.value, $0.value] } }
          }
        }
        .take(1)
      }
    )
    #expect(values == [[9], [9]])
    #expect(bluez.calls == ["Connect", "StartNotify", "StopNotify", "Disconnect"])
  }

  @Test("a stream ends with the link")
  func streamEnds() throws {
    bluez.script("StartNotify") { bluez, call in
      call.reply()
      bluez.bus.loop.after(.seconds(1)) { bluez.linkLost() }
    }
    let failure = try bench.failure(connected { $0.notifications(level) })
    #expect(failure.code == .linkLost)
  }

  @Test("a StartNotify that is answered after its caller has left is stopped")
  func lateStart() throws {
    let pending = Guarded<Invocation?>(nil)
    bluez.script("StartNotify") { _, call in pending.withLock { $0 = call } }
    let failure = try bench.failure(
      connected { $0.notifications(level) },
      within: .seconds(5)
    )
    #expect(failure.code == .timedOut)
    #expect(!bluez.calls.contains("StopNotify"))
    pending.withLock { $0 }?.reply()
    bench.drain()
    #expect(bluez.calls == ["Connect", "StartNotify", "Disconnect", "StopNotify"])
  }

  @Test("when bluetoothd leaves the bus, a stream ends at once")
  func daemonLeaves() throws {
    bluez.script("StartNotify") { bluez, call in
      call.reply()
      bluez.bus.loop.after(.seconds(1)) { bluez.bus.close() }
    }
    let failure = try bench.failure(connected { $0.notifications(level) })
    #expect(failure.code == .daemonMissing)
    #expect(failure.class == .unavailable)
    #expect(bench.loop.now.sinceStart < .seconds(2))
  }

  @Test("when the bus goes away, a stream ends at once")
  func busLost() throws {
    let ours = bench.ours
    bluez.script("StartNotify") { bluez, call in
      call.reply()
      bluez.bus.loop.after(.seconds(1)) { ours.close() }
    }
    let failure = try bench.failure(connected { $0.notifications(level) })
    #expect(failure.code == .busLost)
    #expect(failure.class == .unavailable)
    #expect(failure.device == "Thermo-1 (C0:FF:EE:00:00:01)")
  }
}
