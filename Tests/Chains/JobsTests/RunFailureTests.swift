// The code, class and exit status of each error of a run.

import Bluetooth
import Signals
import Testing

@testable import Jobs

@Suite("Failures of runs")
struct RunFailureTests {
  let step = PlacedStep(
    StepPosition(3),
    Step(.read(ReadStep(CharacteristicSelector(characteristic: BluetoothUUID(short: 0x2a19)))))
  )

  static let errors: [(any Error & Sendable, String, FailureClass, Int32)] = [
    (DeviceFailure.scripted(.notFound, .passing), "not-found", .passing, 75),
    (DeviceFailure.scripted(.adapterOff, .unavailable), "adapter-off", .unavailable, 69),
    (DeviceFailure.scripted(.refused, .definite), "refused", .definite, 1),
    (TimedOut(operation: "reading", after: .seconds(5)), "timed-out", .passing, 75),
    (CancellationError(), "cancelled", .definite, 1),
    (Interrupted(signal: 1), "interrupted", .definite, 129),
    (Interrupted(signal: 2), "interrupted", .definite, 130),
    (Interrupted(signal: 15), "interrupted", .definite, 143),
    (
      ExpectationFailure(expected: "a", got: "b", octets: nil), "expectation-not-met", .definite, 1
    ),
    (ValueError(field: "bpm", octet: 1, problem: "short"), "invalid-value", .definite, 1),
    (BufferOverflow(bound: 3), "values-lost", .definite, 1),
    (LoopShutDown(), "cancelled", .definite, 1),
    (NoValue(operation: "x"), "unknown", .definite, 1),
    (
      FailedWithCleanUp(
        cause: Interrupted(signal: 2),
        cleanUp: [CleanUpFailure(what: "x", error: CancellationError())]
      ),
      "interrupted", .definite, 130
    ),
    (
      FailedWithCleanUp(
        cause: nil,
        cleanUp: [
          CleanUpFailure(what: "x", error: DeviceFailure.scripted(.busLost, .unavailable))
        ]
      ),
      "clean-up-failed", .unavailable, 69
    ),
  ]

  @Test("each error has a code, a class and an exit status", arguments: 0..<errors.count)
  func mapping(index: Int) {
    let (error, code, `class`, status) = Self.errors[index]
    let failure = RunFailure(error, step: step)
    #expect(failure.code.rawValue == code)
    #expect(failure.class == `class`)
    #expect(Jobs.ExitStatus(after: failure).rawValue == status)
    // An error that is already mapped is not changed.
    #expect(RunFailure(failure) == failure)
  }

  @Test("hints name steps and options in the program, and calls in the library")
  func hints() {
    let words = Hint.Remedy.allCases.map { remedy in
      let failure = DeviceFailure(
        code: .busy, class: .passing, operation: "reading", meaning: "it is busy",
        hint: "try \(remedy)"
      )
      #expect(failure.hint == "try \(remedy.inLibrary)")
      #expect(RunFailure(failure).hint != failure.hint)
      return RunFailure(failure).hint
    }
    #expect(Set(words).count == words.count)
    #expect(words.contains("try a pair step, or blerun pair"))
    // Not every command has the option.
    #expect(words.contains("try run blerun inspect --fresh"))
  }

  @Test("a deadline that passes while waiting for a turn names the holder of the turn")
  func holder() {
    let holder = TurnHolder(scheduler: "hci0", turn: "the update", held: .seconds(90))
    let timedOut = TimedOut(operation: "the run", after: .seconds(5), holder: holder)
    #expect(
      RunFailure(timedOut).message == "running the chain: the run did not end within 5s: "
        + "'the update' has had the turn of 'hci0' for 90s"
    )
    #expect(FailureKind(RunFailure(ATTErrorCode.outOfRange)) == .refused(nil))
    #expect(FailureKind(RunFailure(CancellationError())) == .cancelled)
  }

  @Test("a run that succeeded exits with 0")
  func well() {
    #expect(Jobs.ExitStatus(after: nil) == .ok)
    let fixed: [Jobs.ExitStatus] = [.ok, .failed, .usage, .data, .unavailable, .output, .passing]
    #expect(fixed.map(\.rawValue) == [0, 1, 2, 65, 69, 74, 75])
    #expect(Jobs.ExitStatus.interrupted(by: 15).rawValue == 143)
  }

  @Test("an error names the operation, and prints limits as they were written")
  func messages() {
    let timedOut = RunFailure(
      TimedOut(operation: "firstOrDefault", after: .seconds(90)), step: step
    )
    #expect(timedOut.message == "reading battery-level: firstOrDefault did not end within 90s")
    #expect(RunFailure(CancellationError()).description == "running the chain: it was cancelled")
    #expect(
      RunFailure(DeviceFailure.scripted(.linkLost, .passing)).description
        == "reading battery-level on 'Thermo-1': the link was lost. Try: bring the device closer"
    )
  }
}
