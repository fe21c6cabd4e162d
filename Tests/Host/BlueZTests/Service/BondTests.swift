// Pairings that succeed, and the bond that bluetoothd keeps of them.

import Bluetooth
import DBus
import Signals
import Testing

@testable import BlueZ

@Suite("Bonds of pairings")
struct BondTests {
  let bench: Bench

  init() throws {
    bench = try Bench()
    for member in ["RegisterAgent", "RequestDefaultAgent", "UnregisterAgent"] {
      bench.bluez.script(member) { _, call in call.reply() }
    }
  }

  /// Scripts Pair, which succeeds.
  private func pairs(isBonded: Bool?, isPairable: Bool) {
    bench.bluez.script("Pair") { bluez, call in
      bluez.pairable(isPairable)
      bluez.paired(isBonded: isBonded)
      call.reply()
    }
  }

  @Test(
    "a pairing succeeds with a bond, and without one that the device does not make",
    arguments: [(true, true), (true, false), (nil, false), (false, true)]
  )
  func paired(isBonded: Bool?, isPairable: Bool) throws {
    pairs(isBonded: isBonded, isPairable: isPairable)
    let service = try bench.service()
    let outcome = try bench.first(service.pair(PairingAnswers()))
    #expect(outcome == .paired(isAuthenticated: false))
    #expect(bench.bluez.calls.contains("UnregisterAgent"))
  }

  @Test("a pairing without a bond on an adapter that is not pairable is a transient failure")
  func unbonded() throws {
    pairs(isBonded: false, isPairable: false)
    let failure = try bench.failure(bench.service().pair(PairingAnswers()))
    #expect(failure.code == .pairingFailed && failure.class == .passing)
    #expect(failure.meaning.contains("bluetoothd keeps no bond"))
    #expect(bench.bluez.calls.filter { $0.hasSuffix("Agent") }.last == "UnregisterAgent")
  }

  @Test("a second pairing on the same connection fails, too, one on the next connection succeeds")
  func again() throws {
    pairs(isBonded: false, isPairable: false)
    let (service, bluez) = (try bench.service(), bench.bluez)
    let pairing = service.pair(PairingAnswers())
    // A pairing without a bond ends with the connection.
    bluez.script("Disconnect") { bluez, call in
      bluez.paired(false, isBonded: false)
      bluez.disconnect(answering: call)
    }
    let failures = service.connect().flattenMap { () -> Signal<[any Error]> in
      pairing.map { _ in [] }.catchError { first in
        pairing.map { _ in [first] }.catchError { .just([first, $0]) }
      }
    }
    let codes = try bench.first(failures).map { ($0 as? DeviceFailure)?.code }
    #expect(codes == [.pairingFailed, .pairingFailed])
    #expect(bluez.calls.count { $0 == "Pair" } == 1)
    pairs(isBonded: true, isPairable: true)
    #expect(try bench.first(pairing) == .paired(isAuthenticated: false))
  }
}
