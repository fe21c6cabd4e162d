// Error answers and what they mean.

import BlueZInterfaces
import Bluetooth
import Testing

@testable import BlueZ

@Suite("Error mapping")
struct ErrorMappingTests {
  typealias Expected = (
    answer: ErrorAnswer, call: ErrorSituation.Call, code: DeviceFailure.Code,
    failureClass: FailureClass
  )

  static let attributes: [Expected] = [
    (.readNotPermitted, .read, .notPermitted, .definite),
    (.writeNotPermitted, .write, .notPermitted, .definite),
    (.notPaired, .read, .notPaired, .definite),
    (.writeAcquired, .write, .busy, .passing),
    (.notifyAcquired, .notify, .busy, .passing),
    (.notSupported, .notify, .notSupported, .definite),
    (.notSupported, .read, .notSupported, .definite),
    (.invalidOffset, .read, .invalidValue, .definite),
    (.invalidLength, .write, .invalidValue, .definite),
    (.invalidArguments, .write, .invalidValue, .definite),
    (.notAuthorized, .write, .notPermitted, .definite),
    (.inProgress, .write, .busy, .passing),
    (.inProgress, .notify, .busy, .passing),
    (.gattNotConnected, .read, .notConnected, .passing),
    (.notConnected, .notify, .notConnected, .passing),
    (.noTransport, .write, .notConnected, .passing),
    (.writeNotInitiated, .write, .invalidValue, .definite),
    (.noNotifySession, .notify, .refused, .definite),
    (.operationFailed, .read, .refused, .passing),
    (.failed("Operation failed with ATT error: 0x80"), .write, .refused, .definite),
    (.failed("Operation failed with ATT error: 0x0e"), .read, .refused, .passing),
    (.failed("Operation failed with ATT error: 0xfe"), .write, .busy, .passing),
    (.failed("Operation failed with ATT error: 0xfd"), .notify, .refused, .definite),
  ]

  static let connections: [Expected] = [
    (.connectAborted, .connect, .connectFailed, .passing),
    (.connectCanceled, .connect, .connectFailed, .passing),
    (.connectPending, .connect, .busy, .passing),
    (.operationInProgress, .connect, .busy, .passing),
    (.inputOutputError, .connect, .connectFailed, .passing),
    (ConnectionText.adapterNotPowered.answer, .connect, .adapterOff, .unavailable),
    (ConnectionText.busy.answer, .connect, .busy, .passing),
    (ConnectionText.concurrentConnectionLimit.answer, .connect, .busy, .passing),
    (ConnectionText.keyMissing.answer, .connect, .notPermitted, .definite),
    (ConnectionText.notSupported.answer, .connect, .notSupported, .definite),
    (ConnectionText(rawValue: "new-in-6").answer, .connect, .connectFailed, .passing),
    (.failed("br-connection-profile-unavailable"), .connect, .notSupported, .definite),
    (.failed("Host is down"), .connect, .connectFailed, .passing),
    (.failed("something new"), .connect, .connectFailed, .passing),
    (.alreadyConnected, .connect, .refused, .definite),
    (.pageTimeout, .connect, .connectFailed, .passing),
    (.doesNotExist, .connect, .notFound, .passing),
    (.notReady, .discovery, .adapterOff, .unavailable),
    (.noSuchAdapter, .discovery, .adapterMissing, .unavailable),
    (.operationInProgress, .discovery, .busy, .passing),
    (.noDiscoveryStarted, .discovery, .refused, .definite),
    (.authenticationFailed, .pair, .pairingFailed, .definite),
    (.authenticationTimeout, .pair, .pairingFailed, .passing),
    (.authenticationCanceled, .pair, .pairingFailed, .passing),
    (.authenticationRejected, .pair, .pairingFailed, .definite),
    (.agentNotAvailable, .pair, .pairingFailed, .definite),
    (.notAvailable, .read, .busy, .passing),
  ]

  static let buses: [Expected] = [
    (.recipientLeft, .read, .daemonMissing, .unavailable),
    (ErrorAnswer(BlueZErrorName.Bus.noReply, "other"), .read, .timedOut, .passing),
    (ErrorAnswer(BlueZErrorName.Bus.serviceUnknown, "…"), .objects, .daemonMissing, .unavailable),
    (ErrorAnswer(BlueZErrorName.Bus.nameHasNoOwner, "…"), .objects, .daemonMissing, .unavailable),
    (ErrorAnswer(BlueZErrorName.Bus.disconnected, "…"), .read, .busLost, .unavailable),
    (ErrorAnswer(BlueZErrorName.Bus.accessDenied, "…"), .connect, .notPermitted, .unavailable),
    (ErrorAnswer(BlueZErrorName.Bus.limitsExceeded, "…"), .notify, .busy, .passing),
    (
      .unknownObject(method: "Connect", signature: "", interface: Device1.interface),
      .connect, .linkLost, .passing
    ),
    (
      .unknownObject(method: "StartDiscovery", signature: "", interface: Adapter1.interface),
      .discovery, .adapterMissing, .unavailable
    ),
    (
      ErrorAnswer(BlueZErrorName.Bus.unknownMethod, "Method \"Foo\" doesn't exist"),
      .read, .notSupported, .definite
    ),
    (ErrorAnswer("com.example.Error", "…"), .read, .unknown, .definite),
  ]

  @Test("each error has its code and its class", arguments: attributes + connections + buses)
  func maps(expected: Expected) {
    let problem = ErrorMapping.explain(expected.answer, ErrorSituation(expected.call))
    #expect(problem.code == expected.code)
    #expect(problem.failureClass == expected.failureClass)
  }

  @Test(
    "a refused subscription is explained as a refused write of the characteristic's configuration"
  )
  func configuration() {
    let problem = ErrorMapping.explain(.writeNotPermitted, ErrorSituation(.notify))
    #expect(problem.code == .notPermitted)
    #expect(problem.meaning.contains("the configuration that enables its notifications"))
  }

  @Test(
    "the error for an invalid handle names the services that bluetoothd has cached",
    arguments: ["01", "12"])
  func staleCache(code: String) {
    let answer = ErrorAnswer.failed("Operation failed with ATT error: 0x\(code)")
    let problem = ErrorMapping.explain(answer, ErrorSituation(.read))
    #expect(problem.code == .refused)
    let hint = problem.hint.text
    #expect(hint.contains("cached") && hint.contains("isFresh"))
  }

  @Test("an error as the connection ends is reported as link-lost")
  func linkLost() {
    let answer = ErrorAnswer.failed("Operation failed with ATT error: 0x0e")
    let problem = ErrorMapping.explain(answer, ErrorSituation(.read, isLinkDown: true))
    #expect(problem == .linkLost)
  }

  @Test("any error while the adapter is off is reported as adapter-off")
  func adapterOff() {
    let problem = ErrorMapping.explain(
      .inputOutputError, ErrorSituation(.connect, isAdapterOff: true)
    )
    #expect(problem == .adapterOff)
  }

  @Test("a failure keeps the D-Bus error, the ATT code and the operation")
  func keepsAnswer() throws {
    let answer = ErrorAnswer.failed("Operation failed with ATT error: 0x80")
    let problem = try #require(Cause(answer.dbusError, ErrorSituation(.read)))
    let failure = problem.failure(
      of: "reading battery-level", device: "Thermo-1", attribute: "battery-level"
    )
    #expect(failure.operation == "reading battery-level")
    #expect(failure.device == "Thermo-1")
    #expect(failure.bluez == BlueZAnswer(name: BlueZErrorName.failed, text: answer.text))
    #expect(failure.att == ATTErrorCode(rawValue: 0x80))
    #expect(failure.meaning == "the device returned application error 0x80")
    #expect(!failure.hint.isEmpty)
  }

  @Test(
    "an unknown ATT code is reported by its number",
    arguments: [
      (0x9f, "the device returned application error 0x9f"),
      (0x20, "the device refused: reserved error 0x20"),
      (0x13, "the device refused: value not allowed"),
    ] as [(UInt8, String)]
  )
  func unnamed(code: UInt8, meaning: String) {
    #expect(ErrorMapping.refused(by: ATTErrorCode(rawValue: code)).meaning == meaning)
  }

  @Test("every ATT code that bluetoothd passes on distinctly survives the mapping")
  func attCodes() {
    for raw in UInt8.min...UInt8.max {
      let code = ATTErrorCode(rawValue: raw)
      let reported = ErrorAnswer.refused(by: code).refusal.attErrorCode
      switch raw {
      case 0x00, 0x06, 0x08: #expect(reported == nil)
      case 0x05, 0x0C, 0x0F: #expect(reported == ATTErrorCode(rawValue: 0x05))
      case 0x0D: #expect(reported == nil)
      default: #expect(reported == code)
      }
    }
  }
}
