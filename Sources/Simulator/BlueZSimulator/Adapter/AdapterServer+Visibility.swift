// Whether the adapter is discoverable and pairable, and for how long.

import BlueZInterfaces
import DBus
import Signals

extension AdapterServer {
  /// The properties Discoverable and Pairable, with their timeouts.
  ///
  /// A new timeout counts from when it is set, even if the setting is already on. Replies precede
  /// the announcements.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  var visibility: [ExportedProperty] {
    [
      ExportedProperty(Adapter1.discoverable, set: { self.setDiscoverable($0, $1) }) {
        self.state.isDiscoverable
      },
      timeout(Adapter1.discoverableTimeout, \.discoverableTimeout) { $0.expireDiscoverable() },
      ExportedProperty(
        Adapter1.pairable,
        set: { isPairable, call in
          call.reply()
          self.setPairable(isPairable)
          self.expirePairable()
        },
        get: { self.state.isPairable }
      ),
      timeout(Adapter1.pairableTimeout, \.pairableTimeout) { $0.expirePairable() },
    ]
  }

  private func timeout(
    _ property: Property<UInt32>, _ path: any WritableKeyPath<State, UInt32> & Sendable,
    _ expire: @escaping @Sendable (AdapterServer) -> Void
  ) -> ExportedProperty {
    ExportedProperty(
      property,
      set: { seconds, call in
        call.reply()
        let isChanged = self.state[dynamicMember: path] != seconds
        self.state[dynamicMember: path] = seconds
        // bluetoothd announces it even when it is unchanged.
        self.mark(property)
        if isChanged { expire(self) }
      },
      get: { self.state[dynamicMember: path] }
    )
  }

  private func setDiscoverable(_ isOn: Bool, _ call: Invocation) {
    guard isPowered || state.discoverableTimeout == 0 else { return call.refuse(.notPowered) }
    call.reply()
    setDiscoverable(isOn)
    expireDiscoverable()
  }

  func setDiscoverable(_ isOn: Bool) {
    guard state.isDiscoverable != isOn else { return }
    state.isDiscoverable = isOn
    mark(Adapter1.discoverable)
  }

  private func expireDiscoverable() {
    let limit = state.isDiscoverable ? state.discoverableTimeout : 0
    restart(\.discoverableTimer, after: limit) { $0.setDiscoverable(false) }
  }

  private func expirePairable() {
    let limit = state.isPairable ? state.pairableTimeout : 0
    restart(\.pairableTimer, after: limit) { $0.setPairable(false) }
  }

  /// Restarts a timer; 0 seconds means no timeout.
  private func restart(
    _ path: WritableKeyPath<State, LoopTimer?>, after seconds: UInt32,
    _ end: @escaping @Sendable (AdapterServer) -> Void
  ) {
    state[dynamicMember: path].take()?.cancel()
    guard seconds > 0 else { return }
    state[dynamicMember: path] = host.loop.after(.seconds(Int64(seconds))) { [weak self] in
      if let self { end(self) }
    }
  }
}
