// Each error has the operation, the attribute, BlueZ's report, its meaning and a remedy.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Errors explain")
struct ExplanationTests {
  static let device = "Thermo-1 (C0:FF:EE:00:00:01)"
  static let battery = CharacteristicSelector(characteristic: .batteryLevel)
  static let echo = CharacteristicSelector(characteristic: .alertLevel)

  /// The content of a step's failure.
  struct Said: Equatable {
    var operation: String
    var attribute: String?
    var code: DeviceFailure.Code
    /// BlueZ's error text; nil if it sent none.
    var text: String?
  }

  /// The expected failure for a fault; nil if the chain should succeed.
  static func said(of fault: FaultCase) -> Said? {
    switch fault.step {
    case .connect: connecting(fault.action)
    case .discover: discovering(fault.action)
    case .read, .readAgain: attribute("reading battery-level", "battery-level", fault.action)
    case .write: attribute("writing alert-level", "alert-level", fault.action)
    case .subscribe: attribute("subscribing to alert-level", "alert-level", fault.action)
    case .disconnect:
      fault.keepsLinkUp ? Said(operation: "disconnecting", code: .timedOut) : nil
    }
  }

  private static func connecting(_ action: OperationFault) -> Said? {
    let text: String?
    switch action {
    case .none, .refuse, .slow(.seconds(3)), .answerLate, .loseWrite: return nil
    case .loseLinkAfter: text = nil
    case .loseLinkBefore: text = "br-connection-canceled"
    case .neverAnswer, .refuseConnection, .vanish, .slow: text = "le-connection-abort-by-local"
    }
    return Said(operation: "connecting", code: .connectFailed, text: text)
  }

  private static func discovering(_ action: OperationFault) -> Said? {
    switch action {
    case .none, .refuseConnection, .slow(.seconds(3)), .answerLate, .loseWrite: nil
    // bluetoothd calls services resolved that it could not read: there are none then.
    case .refuse:
      Said(
        operation: "reading battery-level", attribute: "battery-level",
        code: .characteristicMissing
      )
    case .slow: Said(operation: "connecting", code: .timedOut)
    case .loseLinkBefore, .loseLinkAfter, .neverAnswer, .vanish:
      Said(operation: "connecting", code: .connectFailed)
    }
  }

  private static func attribute(
    _ operation: String, _ attribute: String, _ action: OperationFault
  ) -> Said? {
    let prefix = "Operation failed with ATT error: 0x"
    switch action {
    case .none, .refuseConnection, .slow(.seconds(3)), .answerLate, .loseWrite: return nil
    case .refuse(let code):
      let text = prefix + (code == .unlikelyError ? "0e" : "80")
      return Said(operation: operation, attribute: attribute, code: .refused, text: text)
    // bluetoothd drops the link when an answer takes longer than 30 s.
    case .loseLinkBefore, .loseLinkAfter, .neverAnswer, .vanish, .slow:
      return Said(operation: operation, attribute: attribute, code: .linkLost, text: prefix + "0e")
    }
  }

  @Test("each fault at each step has an explained error", arguments: FaultCase.all)
  func faults(_ fault: FaultCase) throws {
    var options = ConnectOptions()
    // The test is about one failure, not about further attempts.
    options.attempts = 1
    let simulation = try Simulation(faults: [fault.rule], options: options)
    let outcome = FaultCase.chain(simulation.service).firstOrDefault([], within: .seconds(100))
    guard let expected = Self.said(of: fault) else {
      #expect(outcome.error == nil)
      return
    }
    let error = try #require(outcome.error)
    let failure = try #require(Self.cause(of: error), "\(error)")
    let said = Said(
      operation: failure.operation, attribute: failure.attribute, code: failure.code,
      text: failure.bluez?.text
    )
    #expect(said == expected)
    checkParts(failure)
    if case .refuse(let code) = fault.action, fault.step != .discover {
      #expect(failure.att == code)
    }
    // Every part is in the one sentence that people see.
    let parts = [failure.operation, Self.device, failure.meaning, failure.hint]
    for part in parts + [failure.bluez?.text].compactMap({ $0 }) {
      #expect("\(error)".contains(part), "\(error)")
    }
    #expect(!"\(error)".contains("/org/bluez"), "\(error)")
  }

  private static func cause(of error: any Error) -> DeviceFailure? {
    (error as? DeviceFailure) ?? (error as? FailedWithCleanUp)?.cause as? DeviceFailure
  }

  private func checkParts(_ failure: DeviceFailure) {
    #expect(failure.device == Self.device, "\(failure)")
    #expect(!failure.operation.isEmpty && !failure.meaning.isEmpty && !failure.hint.isEmpty)
    if let bluez = failure.bluez {
      #expect(bluez.name.hasPrefix("org."), "\(failure)")
      #expect(!bluez.text.isEmpty, "\(failure)")
    }
    // A sentence each: no full stop of its own, no leftover of an interpolation.
    for part in [failure.meaning, failure.hint] {
      #expect(!part.hasSuffix(".") && !part.contains("Optional("), "\(failure)")
    }
  }

  @Test("a failed clean-up names the device, its meaning and a remedy")
  func cleanUp() throws {
    let rule = FaultRule(on: .disconnect, action: .slow(.seconds(200)))
    let simulation = try Simulation(faults: [rule])
    let outcome = simulation.service.connect().firstOrDefault((), within: .seconds(20))
    let error = try #require(outcome.error as? FailedWithCleanUp)
    #expect(error.cause == nil)
    let cleanUp = try #require(error.cleanUp.first)
    #expect(cleanUp.what == "the link to \(Self.device)")
    let failure = try #require(cleanUp.error as? DeviceFailure, "\(error)")
    #expect(failure.operation == "disconnecting")
    #expect(failure.meaning.hasPrefix("bluetoothd did not end the link within"))
    checkParts(failure)
  }

  /// Faults outside the device.
  enum Trouble: CaseIterable {
    case outOfReach, noSuchCharacteristic, adapterOff, daemonGone, busGone

    var code: DeviceFailure.Code {
      switch self {
      case .outOfReach: .notFound
      case .noSuchCharacteristic: .characteristicMissing
      case .adapterOff: .adapterOff
      case .daemonGone: .daemonMissing
      case .busGone: .busLost
      }
    }
  }

  @Test("faults outside the device have an explained error", arguments: Trouble.allCases)
  func troubles(_ trouble: Trouble) throws {
    let simulation = try Simulation()
    let (service, client) = (simulation.service, simulation.client)
    let simulator = simulation.simulator
    if trouble == .outOfReach { simulator.vanish(simulation.device.definition.address) }
    let missing = CharacteristicSelector(characteristic: BluetoothUUID(short: 0x2a37))
    let outcome = service.connect()
      .map { _ -> Bool in
        switch trouble {
        case .outOfReach, .noSuchCharacteristic: break
        case .adapterOff: simulator.setPowered(false)
        case .daemonGone: simulator.bus.close()
        case .busGone: client.bus.close()
        }
        return true
      }
      .flattenMap { _ in
        service.read(trouble == .noSuchCharacteristic ? missing : Self.battery)
      }
      .firstOrDefault([], within: .seconds(100))
    let error = try #require(outcome.error)
    let failure = try #require(Self.cause(of: error), "\(error)")
    #expect(failure.code == trouble.code, "\(error)")
    #expect(failure.device?.contains("C0:FF:EE:00:00:01") == true, "\(error)")
    #expect(!failure.operation.isEmpty && !failure.meaning.isEmpty && !failure.hint.isEmpty)
  }
}
