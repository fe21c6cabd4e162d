// A request and the notification that answers it.

import Bluetooth
import Documents
import Signals

extension ChainRun {
  func exchange(
    _ exchanging: Exchanging,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    let progress = Guarded((isWritten: false, others: 0))
    let writing = runner.service.write(exchanging.write)
      .map { progress.withLock { $0.isWritten = true } }
    let exchange = runner.service.exchange(
      writing,
      expectingOn: exchanging.answer,
      options: SubscriptionOptions(delivery: exchanging.delivery)
    ) { notification in
      let isAnswer = exchanging.isAnswer(notification.value)
      if !isAnswer { progress.withLock { $0.others += 1 } }
      return isAnswer
    }
    let done = try await limited(exchange, placed) { limit in
      let (isWritten, others) = progress.withLock { $0 }
      return Self.late(exchanging, isWritten: isWritten, others: others, within: limit)
    }
    let octets = done.notification.value
    let decoded = Result { () throws(ValueError) in
      try StepValue.decode(octets, of: exchanging.answer, format: exchanging.format)
    }
    let value = StepValue(octets, decoded)
    outcome = .exchanged(
      value,
      answered: done.answered - done.begun,
      notified: done.notification.at - done.begun
    )
    emit(.value(placed.reported, value), at: done.notification.at)
    let usable = try placed.step.usable(decoded, octets)
    capture(usable, octets: octets, as: placed.step.capture)
    try check(usable, octets, of: placed)
  }

  private static func late(
    _ exchanging: Exchanging,
    isWritten: Bool,
    others: Int,
    within limit: Duration
  ) -> Lateness {
    let time = "within \(limit.written)"
    if others > 0 {
      let values = counted(others, "value")
      return .silent("\(exchanging.answer) notified \(values) \(time), none of which is the answer")
    }
    guard isWritten else { return Lateness("the write was not answered \(time)") }
    return .silent("the value was written, and \(exchanging.answer) notified nothing \(time)")
  }
}
