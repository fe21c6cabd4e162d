// The mapping from each error to the kind that programs switch over.

import Signals
import Testing

@testable import Bluetooth

@Suite("Kinds of failures")
struct FailureKindTests {
  private static func failure(
    _ code: DeviceFailure.Code, _ failureClass: FailureClass = .definite, att: ATTErrorCode? = nil,
    timedOut: TimedOut? = nil
  ) -> DeviceFailure {
    DeviceFailure(
      code: code, class: failureClass, operation: "reading", att: att, timedOut: timedOut,
      meaning: "why", hint: "what"
    )
  }

  private static let deadline = TimedOut(
    operation: "reading", after: .seconds(5), limitOf: "firstOrDefault"
  )

  /// Each error, its kind, and the code that reports have for an error without one.
  static let errors: [(error: any Error, kind: FailureKind, code: String)] = [
    (deadline, .timedOut(deadline), "timed-out"),
    (failure(.timedOut, timedOut: deadline), .timedOut(deadline), "timed-out"),
    (
      failure(.timedOut), .timedOut(TimedOut(operation: "reading", after: nil)), "timed-out"
    ),
    (CancellationError(), .cancelled, "cancelled"),
    (LoopShutDown(), .cancelled, "cancelled"),
    (failure(.notConnected), .link(.notConnected, nil), "not-connected"),
    (failure(.connectFailed), .link(.notMade, nil), "connect-failed"),
    (
      failure(.linkLost).ended(by: .device, meaning: "the device ended it"),
      .link(.lost, .device), "link-lost"
    ),
    (failure(.refused, att: .outOfRange), .refused(.outOfRange), "refused"),
    (ATTErrorCode.outOfRange, .refused(.outOfRange), "refused"),
    (
      failure(.notPermitted, att: .readNotPermitted), .notPermitted(.readNotPermitted),
      "not-permitted"
    ),
    (failure(.notPermitted, .unavailable), .host(.permissionMissing), "capability-missing"),
    (failure(.capabilityMissing), .host(.permissionMissing), "capability-missing"),
    (failure(.notPaired), .notPaired, "not-paired"),
    (failure(.pairingFailed), .pairingFailed, "pairing-failed"),
    (failure(.notSupported), .notSupported, "not-supported"),
    (failure(.busy), .busy, "busy"),
    (failure(.notFound), .notFound, "not-found"),
    (failure(.ambiguous), .ambiguous, "ambiguous"),
    (failure(.serviceMissing), .missing(.service), "service-missing"),
    (failure(.characteristicMissing), .missing(.characteristic), "characteristic-missing"),
    (failure(.descriptorMissing), .missing(.descriptor), "descriptor-missing"),
    (failure(.invalidValue), .invalidValue(nil), "invalid-value"),
    (
      ValueError(field: "bpm", octet: 1, problem: "short"),
      .invalidValue(ValueError(field: "bpm", octet: 1, problem: "short")), "invalid-value"
    ),
    (failure(.busUnreachable), .host(.busUnreachable), "bus-unreachable"),
    (failure(.busLost), .host(.busLost), "bus-lost"),
    (failure(.daemonMissing), .host(.daemonMissing), "daemon-missing"),
    (failure(.adapterMissing), .host(.adapterMissing), "adapter-missing"),
    (failure(.adapterOff), .host(.adapterOff), "adapter-off"),
    (failure(.socketsMissing, .unavailable), .host(.other), "unknown"),
    (BufferOverflow(bound: 3), .valuesLost(bound: 3), "values-lost"),
    (NoValue(operation: "reading"), .noValue, "unknown"),
    (TurnEnded(operation: "reading", scheduler: "s"), .misuse(.turnEnded), "unknown"),
    (
      OtherScheduler(operation: "reading", present: "a", wanted: "b"), .misuse(.otherScheduler),
      "unknown"
    ),
    (BlockedInsideLoop(operation: "x"), .misuse(.blockedInsideLoop), "unknown"),
    (LoopIdle(at: .start), .misuse(.virtualLoop), "unknown"),
    (NotOnLoop(), .misuse(.notOnLoop), "unknown"),
    (failure(.connectOutsideTurn), .misuse(.connectOutsideTurn), "connect-outside-turn"),
    (failure(.insideSubscription), .misuse(.insideSubscription), "inside-subscription"),
    (FailedWithCleanUp(cause: nil, cleanUp: []), .cleanUpFailed, "clean-up-failed"),
    (FailedWithCleanUp(cause: deadline, cleanUp: []), .timedOut(deadline), "timed-out"),
    (SelectorError(text: "x", problem: "y"), .other, "unknown"),
    (failure(.unknown), .other, "unknown"),
  ]

  @Test("each error has its kind, and each kind has a code", arguments: errors.indices)
  func kinds(index: Int) {
    let (error, kind, code) = Self.errors[index]
    #expect(FailureKind(error) == kind)
    #expect(kind.code.rawValue == code)
  }

  @Test("a hint names the library's calls, or the terms that the reader supplies")
  func hints() {
    let limit = 5
    let hint: Hint = "try \(.pair), " + "or \(.moreTime) than \(limit) s"
    #expect(hint.text == "try pair(_:), or allow more time with within: or timeout(_:_:) than 5 s")
    #expect(hint.text { $0 == .pair ? "P" : "M" } == "try P, or M than 5 s")
    #expect(Hint("").isEmpty && !hint.isEmpty)
    let words = Hint.Remedy.allCases.map(\.inLibrary)
    #expect(Set(words).count == words.count)
    #expect(!words.contains { $0.contains("--") || $0.contains("blerun") })
    let failure = Self.failure(.busy).adding(hint: "or \(.scan)")
    #expect(failure.hint == "what; or scan(_:)")
  }
}
