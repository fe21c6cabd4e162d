// Streams of commands.

import Bluetooth
import DBus
import Signals

extension BlueZOperations {
  func acquireWriter(_ selector: CharacteristicSelector) -> Signal<any CommandWriter> {
    Signal<any CommandWriter>.using(
      acquire: Signal<AcquiredWriter>.operation(of: scheduler, "acquiring a writer") {
        [self] sink in
        let writer: AcquiredWriter
        do {
          let channel = try channel(selector)
          try channel.requireOffer(of: .acquireWriter)
          writer = try await AcquiredWriter(of: channel, selector, self)
        } catch {
          throw await attributeFailure(error, .acquireWrite, "acquiring", selector)
        }
        try await sink(writer)
      },
      release: { writer in
        Signal<Void> { sink in
          try await writer.release()
          try await sink(())
        }
      },
      releaseLimit: client.limits.call
    ) { .just($0) }
  }
}
