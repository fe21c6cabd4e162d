// Notifications and indications, by StartNotify.

public import Bluetooth
import DBus
public import Signals

extension BlueZDeviceService {
  /// Subscribes, and sends what is notified or indicated until it is ended.
  ///
  /// - Returns: Fails with ``DeviceFailure``: `link-lost` when the link falls, and others; with
  ///   `BufferOverflow` when values are not taken.
  public func notifications(_ selector: CharacteristicSelector) -> Signal<Notification> {
    subscribe(selector).flattenMap { $0 }
  }

  /// Subscribes, and sends the stream of what is notified once that was answered.
  ///
  /// What is notified from then on waits in the stream, so the caller may trigger it first and look
  /// afterwards. Several subscribers of a characteristic have one subscription of bluetoothd's in
  /// common. The echoes of our own reads are left out.
  ///
  /// - Returns: One stream, which is subscribed until the signal ends.
  public func subscribe(
    _ selector: CharacteristicSelector
  ) -> Signal<Signal<Notification>> {
    Signal<Signal<Notification>>.using(
      acquire: Signal<Subscriber>(home: scheduler) { [self] sink in
        let subscriber: Subscriber
        do {
          subscriber = try await channel(selector).subscribe()
        } catch {
          throw attributeFailure(error, .notify, "subscribing to", selector)
        }
        try await sink(subscriber)
      },
      release: { [self] subscriber in
        Signal<Void> { [self] sink in
          do {
            try await subscriber.channel.unsubscribe(subscriber)
          } catch {
            throw attributeFailure(error, .notify, "ending the subscription to", selector)
          }
          try await sink(())
        }
      },
      releaseLimit: client.limits.call
    ) { [self] subscriber in
      .just(stream(of: subscriber, selector))
    }
  }

  private func stream(
    of subscriber: Subscriber,
    _ selector: CharacteristicSelector
  ) -> Signal<Notification> {
    Signal { [self] sink in
      while let next = try await next(of: subscriber, selector) { try await sink(next) }
    }
  }

  private func next(
    of subscriber: Subscriber,
    _ selector: CharacteristicSelector
  ) async throws -> Notification? {
    do {
      return try await subscriber.mailbox.next(
        on: loop,
        operation: "waiting for a notification of \(AssignedNumbers.title(of: selector))"
      )
    } catch let error as TimedOut {
      // No value was owed: how long to wait is the caller's affair, who set the deadline.
      throw error
    } catch {
      throw attributeFailure(error, .notify, "listening to", selector)
    }
  }
}
