// A subscription that several operations share.

import Bluetooth
import Jobs
import Signals

/// Receives the values of a characteristic until it is ended.
final class Subscription: Sendable {
  /// The limit on ending a subscription.
  private static let endLimit = Duration.seconds(5)

  private let signal: Signal<Sample>
  private let receive: @Sendable (Sample) -> Void
  private let failed: @Sendable (any Error) -> Void
  private let standing = Mailbox<Void>(bound: 1)
  private let ended = Mailbox<Void>(bound: 1)
  private let observation = Guarded<Observation?>(nil)

  /// - Parameters:
  ///   - receive: Called with each value, on the loop.
  ///   - failed: Called with the error when no more values arrive, unless the subscription was
  ///     ended.
  init(
    _ service: any DeviceService,
    _ selector: CharacteristicSelector,
    receive: @escaping @Sendable (Sample) -> Void,
    failed: @escaping @Sendable (any Error) -> Void
  ) {
    self.receive = receive
    self.failed = failed
    signal = service.listening(to: selector) { [standing] samples in
      Signal { sink in
        standing.send(())
        try await samples.run(sink)
      }
    }
  }

  /// Subscribes, and waits until values can arrive.
  ///
  /// - Throws: The error of the subscription, or of a wait that is cancelled.
  func stand(on loop: Loop) async throws {
    let observed = signal.observe(on: loop) { [receive, failed, standing, ended] event in
      switch event {
      case .value(let value): receive(value)
      case .completed, .cancelled:
        standing.finish()
        ended.finish()
      case .failed(let error):
        standing.finish(.failure(error))
        ended.finish()
        failed(error)
      }
    }
    observation.withLock { $0 = observed }
    do {
      _ = try await standing.next(on: loop, operation: "subscribing")
    } catch {
      await end(on: loop)
      throw error
    }
  }

  /// Ends the subscription, and waits until it has ended.
  func end(on loop: Loop) async {
    observation.withLock { $0 }?.cancel()
    _ = try? await shielded(on: loop, limit: Self.endLimit) { [ended] in
      try await ended.next(on: loop, operation: "ending a subscription")
    }
  }
}
