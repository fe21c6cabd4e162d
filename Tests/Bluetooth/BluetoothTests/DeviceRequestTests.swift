// Operations that are forwarded as requests.

import Bluetooth
import Signals
import Testing

@Suite("Requests")
struct DeviceRequestTests {
  private struct Refused: Error {}

  /// Notes each request; performs it on another device, or refuses it.
  private struct Noting: DeviceOperations, DeviceRequestPerformer {
    let requests: Guarded<[String]>
    let next: (any DeviceOperations)?

    func perform<Output>(_ request: DeviceRequest<Output>) async throws -> Output {
      requests.withLock { $0.append(request.name + (request.isIdempotent ? "" : ", once")) }
      guard let next else { throw Refused() }
      return try await request.perform(on: next)
    }
  }

  @Test("each operation becomes a request that performs this operation")
  func forwards() async throws {
    let level = try CharacteristicSelector(parsing: "2a19")
    let descriptor = try DescriptorSelector(parsing: "2a19/2902")
    let (outer, inner) = (Guarded<[String]>([]), Guarded<[String]>([]))
    let device = Noting(requests: outer, next: Noting(requests: inner, next: nil))
    let calls: [(name: String, call: (Noting) async throws -> Void)] = [
      ("connecting", { _ = try await $0.connect(keep: false, expecting: []) }),
      ("disconnecting", { try await $0.disconnect() }),
      ("disconnecting", { try await $0.endUse() }),
      ("disconnecting", { _ = try await $0.endAllUses() }),
      ("waiting for another run", { _ = try await $0.awaitOtherRuns() }),
      ("listing the services", { _ = try await $0.services() }),
      ("reading \(level)", { _ = try await $0.read(level, offset: 0) }),
      ("writing \(level), once", { try await $0.write([1], to: level, kind: .request, offset: 0) }),
      ("reading \(descriptor)", { _ = try await $0.readDescriptor(descriptor) }),
      ("writing \(descriptor), once", { try await $0.writeDescriptor([1], to: descriptor) }),
      ("asking for the MTU", { _ = try await $0.mtu() }),
      ("measuring the RSSI", { _ = try await $0.rssi() }),
      ("asking for the connection parameters", { _ = try await $0.connectionParameters() }),
      (
        "changing the connection parameters",
        {
          let wanted = ConnectionParameters(
            interval: .milliseconds(15), latency: 0, supervisionTimeout: .seconds(4)
          )
          _ = try await $0.changeConnectionParameters(to: wanted)
        }
      ),
      ("asking for the PHY", { _ = try await $0.phy() }),
      ("changing the PHY", { _ = try await $0.changePHY(to: .twoMegabit) }),
      ("pairing, once", { _ = try await $0.pair(PairingAnswers()) }),
      ("unpairing, once", { try await $0.unpair() }),
      ("changing the trust", { try await $0.trust(true) }),
    ]
    for (_, call) in calls {
      await #expect(throws: Refused.self) { try await call(device) }
    }
    let names = calls.map(\.name)
    #expect(outer.withLock { $0 } == names)
    #expect(inner.withLock { $0 } == names)
  }
}
