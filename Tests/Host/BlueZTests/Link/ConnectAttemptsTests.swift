// Connection failures: which are retried, after which delay, and how often.

import BlueZInterfaces
import DBus
import Testing

@testable import BlueZ

@Suite("Connection attempts")
struct ConnectAttemptsTests {
  typealias Failing = ConnectAttempts.Failing

  private func failing(_ answer: ErrorAnswer, isAdapterOff: Bool = false) -> Failing {
    Failing(answer.dbusError, isAdapterOff: isAdapterOff)
  }

  @Test("each error of Connect has the class that was recorded for it")
  func classes() {
    #expect(failing(.connectAborted) == .aborted)
    #expect(failing(.connectCanceled) == .aborted)
    #expect(failing(.inputOutputError) == .notSettled)
    #expect(failing(.connectPending) == .inProgress)
    #expect(failing(.operationInProgress) == .inProgress)
    #expect(failing(.notReady) == .notReady)
    #expect(failing(.doesNotExist) == .vanished)
    #expect(failing(ConnectionText.busy.answer) == .busy)
    #expect(failing(ConnectionText.keyMissing.answer) == .definite)
    #expect(failing(ConnectionText.notSupported.answer) == .definite)
    let gone = ErrorAnswer.unknownObject(
      method: "Connect", signature: "", interface: Device1.interface
    )
    #expect(failing(gone) == .vanished)
  }

  @Test("any Connect error means that the adapter is off if the adapter is off")
  func adapterOff() {
    #expect(failing(.inputOutputError, isAdapterOff: true) == .notReady)
  }

  @Test("a drop during service discovery is retried, a missing service is not")
  func problems() {
    #expect(Failing(Cause.lostWhileResolving, isAdapterOff: false) == .aborted)
    #expect(Failing(Cause.deviceRemoved, isAdapterOff: false) == .vanished)
    #expect(Failing(Cause.disconnectedMeanwhile, isAdapterOff: false) == .definite)
    #expect(Failing(Cause.connectOutsideTurn, isAdapterOff: false) == .definite)
  }

  @Test("delays double from 250 ms to 4 s, and then the attempts end")
  func backoff() {
    var attempts = ConnectAttempts(most: 7)
    var waits: [Duration] = []
    while true {
      attempts.begin()
      guard case .retry(.awaitDown, let wait) = attempts.decide(.aborted) else { break }
      waits.append(wait)
    }
    #expect(waits == [0.25, 0.5, 1, 2, 4, 4].map { .seconds($0) })
    #expect(attempts.made == 7)
  }

  @Test("an attempt of another program is waited for, and ended only on request")
  func another() {
    var patient = ConnectAttempts(most: 5)
    patient.begin()
    #expect(patient.decide(.inProgress, owner: .another) == .retry(.awaitOther, after: .seconds(1)))
    var forceful = ConnectAttempts(most: 5, takesOver: true)
    forceful.begin()
    let decision = forceful.decide(.inProgress, owner: .another)
    #expect(decision == .retry(.endOther, after: .milliseconds(250)))
  }

  @Test("the attempt of a program that has exited is ended once")
  func stale() {
    var attempts = ConnectAttempts(most: 5)
    attempts.begin()
    let first = attempts.decide(.inProgress, owner: .deadProgram)
    #expect(first == .retry(.endOther, after: .milliseconds(250)))
    attempts.begin()
    let second = attempts.decide(.inProgress, owner: .deadProgram)
    #expect(second == .retry(.awaitOther, after: .seconds(1)))
  }

  @Test("our own attempt that is ending is waited for, even with take-over")
  func own() {
    var attempts = ConnectAttempts(most: 5, takesOver: true)
    attempts.begin()
    #expect(attempts.decide(.inProgress, owner: .us) == .retry(.awaitOther, after: .seconds(1)))
  }
}
