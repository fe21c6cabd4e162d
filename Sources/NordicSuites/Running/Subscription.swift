// A subscription that stands from one operation to a later one.

import Bluetooth
import Signals

/// Listens to a characteristic until it is ended.
final class Subscription: Sendable {
  /// How long the end of a subscription is waited for.
  private static let endLimit = Duration.seconds(5)

  private let signal: Signal<[UInt8]>
  private let receive: @Sendable ([UInt8]) -> Void
  private let failed: @Sendable (any Error) -> Void
  private let standing = Mailbox<Void>(bound: 1)
  private let ended = Mailbox<Void>(bound: 1)
  private let observation = Guarded<Observation?>(nil)

  /// - Parameters:
  ///   - receive: Gets each value, on the loop.
  ///   - failed: Is told why no more values come, unless it was ended.
  init(
    _ service: any DeviceService,
    _ selector: CharacteristicSelector,
    receive: @escaping @Sendable ([UInt8]) -> Void,
    failed: @escaping @Sendable (any Error) -> Void
  ) {
    self.receive = receive
    self.failed = failed
    signal = service.subscribe(selector).flattenMap { [standing] values in
      Signal { sink in
        standing.send(())
        try await values.run { try await sink($0.value) }
      }
    }
  }

  /// Begins to listen, and waits until values will be heard.
  ///
  /// - Throws: What the subscription failed with; what ends a wait.
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

  /// Ends it, and waits until it is ended.
  func end(on loop: Loop) async {
    observation.withLock { $0 }?.cancel()
    _ = try? await shielded(on: loop, limit: Self.endLimit) { [ended] in
      try await ended.next(on: loop, operation: "ending a subscription")
    }
  }
}
