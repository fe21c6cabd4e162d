// Whether the adapter is discoverable and pairable, and for how long.

import BlueZInterfaces
import DBus
import Signals

extension AdapterServer {
  /// Discoverable, Pairable and their timeouts.
  ///
  /// A timeout that is set while the setting is on counts from then. Replies come before the
  /// changes are announced.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  var visibility: [ExportedProperty] {
    [
      ExportedProperty(Adapter1.discoverable, set: { self.setDiscoverable($0, $1) }) {
        self.state.withLock { $0.isDiscoverable }
      },
      timeout(Adapter1.discoverableTimeout, \.discoverableTimeout) { $0.expireDiscoverable() },
      ExportedProperty(
        Adapter1.pairable,
        set: { isPairable, call in
          call.reply()
          self.setPairable(isPairable)
          self.expirePairable()
        },
        get: { self.state.withLock { $0.isPairable } }
      ),
      timeout(Adapter1.pairableTimeout, \.pairableTimeout) { $0.expirePairable() },
    ]
  }

  private func timeout(
    _ property: Property<UInt32>,
    _ path: any WritableKeyPath<State, UInt32> & Sendable,
    _ expire: @escaping @Sendable (AdapterServer) -> Void
  ) -> ExportedProperty {
    ExportedProperty(
      property,
      set: { seconds, call in
        call.reply()
        let isChanged = self.state.withLock { state in
          defer { state[keyPath: path] = seconds }
          return state[keyPath: path] != seconds
        }
        // Announced even when it is unchanged.
        self.mark(property)
        if isChanged { expire(self) }
      },
      get: { self.state.withLock { $0[keyPath: path] } }
    )
  }

  private func setDiscoverable(_ isOn: Bool, _ call: Invocation) {
    let (isPowered, timeout) = state.withLock { ($0.isPowered, $0.discoverableTimeout) }
    guard isPowered || timeout == 0 else { return call.refuse(.notPowered) }
    call.reply()
    setDiscoverable(isOn)
    expireDiscoverable()
  }

  /// Makes the adapter discoverable, or no longer.
  func setDiscoverable(_ isOn: Bool) {
    let isChanged = state.withLock { state in
      defer { state.isDiscoverable = isOn }
      return state.isDiscoverable != isOn
    }
    if isChanged { mark(Adapter1.discoverable) }
  }

  private func expireDiscoverable() {
    restart(\.discoverableTimer, after: { $0.isDiscoverable ? $0.discoverableTimeout : 0 }) {
      $0.setDiscoverable(false)
    }
  }

  private func expirePairable() {
    restart(\.pairableTimer, after: { $0.isPairable ? $0.pairableTimeout : 0 }) {
      $0.setPairable(false)
    }
  }

  /// Restarts the timer; 0 seconds mean for ever.
  private func restart(
    _ path: WritableKeyPath<State, LoopTimer?>,
    after seconds: (State) -> UInt32,
    _ end: @escaping @Sendable (AdapterServer) -> Void
  ) {
    let limit = state.withLock { seconds($0) }
    let timer =
      limit == 0
      ? nil
      : host.loop.after(.seconds(Int64(limit))) { [weak self] in
        if let self { end(self) }
      }
    let before = state.withLock { state in
      defer { state[keyPath: path] = timer }
      return state[keyPath: path]
    }
    before?.cancel()
  }
}
