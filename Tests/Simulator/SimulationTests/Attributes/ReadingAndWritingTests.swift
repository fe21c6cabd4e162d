// Reads, writes, lengths and selectors, on a simulated device.

import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Reading and writing on a simulated device")
struct ReadingAndWritingTests {
  @Test("the MTU is the link's once the link is up")
  func mtu() throws {
    let simulation = try Simulation.bench()
    #expect(try simulation.first { $0.mtu() } == 64)
    let outcome = simulation.service.mtu().firstOrDefault(0, within: .seconds(5))
    #expect((outcome.error as? DeviceFailure)?.code == .notConnected)
  }

  @Test("an MTU that stays at 23 is reported after a bounded wait")
  func smallMTU() throws {
    var definition = DeviceDefinition.bench
    definition.link.mtu = 23
    let simulation = try Simulation(definition: definition)
    let took = Guarded(Duration.zero)
    let loop = simulation.loop
    let mtu = try simulation.first { service in
      Signal<Int>.deferred {
        let start = loop.now
        return service.mtu().map { mtu in
          took.withLock { $0 = loop.now - start }
          return mtu
        }
      }
    }
    #expect(mtu == 23)
    #expect(took.withLock { $0 } == .milliseconds(500))
  }

  @Test("a value is read from an offset, and an offset at its end reads no bytes")
  func offset() throws {
    let simulation = try Simulation.bench()
    let long = (0..<300).map { UInt8($0 & 255) }
    let values = try simulation.first { service in
      service.write(long, to: .alert, kind: .request)
        .flattenMap { service.read(.alert, offset: 290) }
        .flattenMap { tail in service.read(.alert, offset: 300).map { [tail, $0] } }
        .flattenMap { ends in service.read(.alert).map { ends + [$0] } }
    }
    #expect(values == [Array(long.suffix(10)), [], long])
  }

  @Test(
    "a value is written from an offset, which can be its end",
    arguments: [
      WriteKind.automatic, .request, .reliable,
    ]
  )
  func writtenOffset(kind: WriteKind) throws {
    let simulation = try Simulation.bench()
    let values = try simulation.first { service in
      service.write([1, 2, 3, 4], to: .alert, kind: .request)
        .flattenMap { service.write([9], to: .alert, kind: kind, offset: 2) }
        .flattenMap { service.read(.alert) }
        .flattenMap { replaced in
          service.write([5, 6], to: .alert, kind: kind, offset: 3).map { replaced }
        }
        .flattenMap { replaced in service.read(.alert).map { [replaced, $0] } }
    }
    #expect(values == [[1, 2, 9], [1, 2, 9, 5, 6]])
  }

  @Test("an offset that cannot be written is refused by the device or before it is sent")
  func writtenTooFar() throws {
    let simulation = try Simulation.bench()
    let refused = try simulation.failure { $0.write([1], to: .alert, kind: .request, offset: 1) }
    #expect(refused.code == .invalidValue)
    #expect(refused.att == .invalidOffset)
    #expect(refused.bluez?.text == "Invalid offset")
    let writes = simulation.history.count { $0.contains("written") }
    let unsent = try [
      simulation.failure { $0.write([1, 2], to: .alert, kind: .request, offset: 511) },
      simulation.failure { $0.write([1], to: .alert, kind: .command, offset: 1) },
      simulation.failure { $0.write([1], to: .sink, kind: .automatic, offset: 1) },
      simulation.failure { $0.write([1], to: .alert, kind: .request, offset: -1) },
    ]
    #expect(unsent.map(\.code) == [.invalidValue, .notSupported, .notSupported, .invalidValue])
    #expect(unsent.allSatisfy { $0.bluez == nil })
    #expect(simulation.history.count { $0.contains("written") } == writes)
  }

  @Test("the device refuses an offset past the end; an offset past any value is not sent")
  func offsetTooFar() throws {
    let simulation = try Simulation.bench()
    let refused = try simulation.failure { $0.read(.alert, offset: 5) }
    #expect(refused.code == .invalidValue)
    #expect(refused.att == .invalidOffset)
    let reads = simulation.history.count { $0.contains("read 2a06") }
    let unsent = try simulation.failure { $0.read(.alert, offset: 513) }
    #expect(unsent.code == .invalidValue)
    #expect(unsent.bluez == nil)
    #expect(simulation.history.count { $0.contains("read 2a06") } == reads)
  }

  @Test(
    "512 bytes are read and written in one call, as a request and reliably",
    arguments: [
      WriteKind.request, .reliable, .automatic,
    ]
  )
  func longValues(kind: WriteKind) throws {
    let simulation = try Simulation.bench()
    let value = (0..<512).map { UInt8($0 & 255) }
    let read = try simulation.first { service in
      service.write(value, to: .alert, kind: kind).flattenMap { service.read(.alert) }
    }
    #expect(read == value)
  }

  @Test("a value that is too long is refused before it is sent, with the sizes")
  func tooLong() throws {
    let simulation = try Simulation.bench()
    let command = try simulation.failure {
      $0.write([UInt8](repeating: 1, count: 62), to: .alert, kind: .command)
    }
    #expect(command.code == .invalidValue)
    #expect(
      command.meaning
        == "the value has 62 bytes, a command carries at most 61 on this connection, whose MTU is 64"
    )
    let only = try simulation.failure {
      $0.write([UInt8](repeating: 1, count: 62), to: .sink, kind: .automatic)
    }
    #expect(only.code == .invalidValue)
    let request = try simulation.failure {
      $0.write([UInt8](repeating: 1, count: 513), to: .alert, kind: .request)
    }
    #expect(request.meaning == "the value has 513 bytes, an attribute at most 512")
    #expect(!simulation.history.contains { $0.contains("written") })
    try simulation.first {
      $0.write([UInt8](repeating: 1, count: 61), to: .alert, kind: .command)
    }
    #expect(simulation.history.contains { $0.contains("written 2a06") })
  }

  @Test(
    "the device's refusal is explained by its ATT code",
    arguments: [
      (0x02, .notPermitted, "does not permit reading this attribute"),
      (0x0c, .notPaired, "requires a paired, encrypted connection"),
      (0x08, .notPermitted, "refuses the access"),
    ] as [(UInt8, DeviceFailure.Code, String)]
  )
  func refused(code: UInt8, expected: DeviceFailure.Code, meaning: String) throws {
    let refusal = OperationFault.refuse(ATTErrorCode(rawValue: code))
    let simulation = try Simulation(
      definition: .bench, faults: [FaultRule(on: .read, action: refusal)]
    )
    let failure = try simulation.failure { $0.read(.alert) }
    #expect(failure.code == expected && failure.class == .definite)
    #expect(failure.meaning.contains(meaning))
  }

  @Test("a read that the properties do not list is sent; its refusal lists the properties")
  func notListed() throws {
    let simulation = try Simulation.bench()
    let failure = try simulation.failure { $0.read(.sink) }
    #expect(failure.code == .notPermitted)
    #expect(failure.bluez?.text == "Read not permitted")
    #expect(failure.meaning.hasSuffix("; the characteristic supports write-without-response"))
  }

  @Test("an unsupported operation other than a read is not sent")
  func notOffered() throws {
    let simulation = try Simulation.bench()
    let before = simulation.history.count
    let level = try CharacteristicSelector(parsing: "battery/battery-level#0")
    let rows: [(failure: DeviceFailure, meaning: String, hint: String)] = try [
      (
        simulation.failure { $0.write([1], to: level, kind: .automatic) },
        "cannot be written; it supports read, notify", "services() shows"
      ),
      (
        simulation.failure { $0.write([1], to: level, kind: .reliable) },
        "cannot be written; it supports read, notify", "services() shows"
      ),
      (
        simulation.failure { $0.write([1], to: .sink, kind: .request) },
        "cannot be written with response; it supports write-without-response",
        "write with kind 'command'"
      ),
      (
        simulation.failure { $0.acquireWriter(level) },
        "cannot be written; it supports read, notify", "services() shows"
      ),
      (
        simulation.failure { $0.notifications(.sink) },
        "sends neither notifications nor indications; it supports write-without-response",
        "services() shows"
      ),
    ]
    for row in rows {
      #expect(row.failure.code == .notSupported && row.failure.class == .definite)
      #expect(
        row.failure.bluez == nil && row.failure.meaning == "the characteristic \(row.meaning)"
      )
      #expect(row.failure.hint.hasPrefix(row.hint), "\(row.failure.hint)")
    }
    let sent = simulation.history.dropFirst(before)
    #expect(!sent.contains { $0.contains("written") || $0.contains("subscribed") }, "\(sent)")
  }

  @Test("the failure for an ambiguous selector suggests unambiguous selectors")
  func ambiguous() throws {
    let simulation = try Simulation.bench()
    let failure = try simulation.failure {
      $0.read(CharacteristicSelector(characteristic: .batteryLevel))
    }
    #expect(failure.code == .ambiguous)
    let list = try #require(failure.meaning.split(separator: ": ").last)
    let values = try list.split(separator: ", ").map { text in
      let selector = try CharacteristicSelector(parsing: String(text))
      return try simulation.first { $0.read(selector) }
    }
    #expect(values == [[87], [13]])
  }

  @Test("a handle selects the value's attribute, or the declaration's as in object paths")
  func handles() throws {
    let simulation = try Simulation.bench()
    let entry = simulation.device.table.services[2].characteristics[0]
    for handle in [entry.handle, entry.declaration] {
      #expect(try simulation.first { $0.read(CharacteristicSelector(handle: handle)) } == [87])
    }
  }

  @Test("two simultaneous reads are one request to the device")
  func coalesced() throws {
    let simulation = try Simulation.bench()
    let values = try simulation.first { service in
      Signal<Int> { sink in for number in [1, 2] { try await sink(number) } }
        .flattenMap(.merge(limit: 2)) { _ in service.read(.alert) }
        .collect()
    }
    #expect(values == [[], []])
    #expect(simulation.history.count { $0.contains("read 2a06") } == 1)
  }

  @Test("a service that the device adds while connected can be used at once")
  func serviceAdded() throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.device.definition.address)
    simulator.offer(.alert, false, at: address)
    let loop = simulation.loop
    let codes = try simulation.first { service in
      service.read(.alert).map { _ in DeviceFailure.Code.unknown }
        .catchError { error in .just((error as? DeviceFailure)?.code ?? .unknown) }
        .flattenMap { before in
          simulator.offer(.alert, true, at: address)
          return Signal<Void> { sink in
            try await loop.sleep(for: .milliseconds(20))
            try await sink(())
          }
          .flattenMap { service.read(.alert).map { _ in before } }
        }
    }
    #expect(codes == .characteristicMissing)
  }
}
