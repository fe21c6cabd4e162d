// Values longer than the Attribute Protocol allows, which bluetoothd never sends.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import Testing

@testable import BlueZ

@Suite("Oversized attribute values")
struct OversizedValueTests {
  let bench: Bench
  let level: CharacteristicSelector

  init() throws {
    bench = try Bench()
    level = try CharacteristicSelector(parsing: "2a19")
  }

  private static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

  @Test(
    "a value longer than any attribute fails the step", arguments: [(512, true), (513, false)])
  func read(count: Int, isTaken: Bool) throws {
    bench.bluez.script("ReadValue") { _, call in call.reply([.bytes(Self.bytes(count))]) }
    let service = try bench.service()
    let reading = service.connect().flattenMap { service.read(level) }
    if isTaken {
      #expect(try bench.first(reading).count == count)
    } else {
      let failure = try bench.failure(reading)
      #expect(failure.code == .invalidValue)
      #expect(failure.meaning.contains("\(count) bytes"), "\(failure)")
    }
  }

  @Test("a notification longer than any attribute ends the subscription after the values before it")
  func notification() throws {
    let bluez = bench.bluez
    bluez.script("StartNotify") { bluez, call in
      call.reply()
      bluez.notify([7])
      bluez.notify(Self.bytes(513))
      bluez.notify([8])
    }
    let service = try bench.service()
    let received = Guarded<[[UInt8]]>([])
    let listening = service.connect().flattenMap { service.notifications(level) }.map { value in
      received.withLock { $0.append(value.value) }
    }
    let failure = try bench.failure(listening.then { Signal.just(()) })
    #expect(failure.code == .invalidValue)
    #expect(received.withLock { $0 } == [[7]])
  }
}
