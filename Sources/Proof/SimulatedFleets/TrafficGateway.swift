// A gateway without a radio, to count the traffic of a fleet on any store.
//
// Decisions, reports, entries and subscriptions are those of `blerun gateway`; a chain is replaced
// by a fixed delay. Tests count the traffic in virtual time, `benchmarks` on a real server.

package import Bluetooth
package import Fleet
package import Signals

/// The traffic of all gateways together.
package struct TrafficCounts: Sendable {
  /// Sighting reports sent.
  package var reports = 0
  /// Job announcements delivered.
  package var announcements = 0
  /// Chains begun.
  package var chains = 0

  /// All counts are zero.
  package init() {}

  /// The counts on one line, to be parsed.
  package var line: String { "reports \(reports) announcements \(announcements) chains \(chains)" }
}

/// A gateway whose chains are fixed delays.
package final class TrafficGateway: Sendable {
  private struct State {
    var machine: Gateway
    var subscriptions: [BluetoothAddress: StoreSubscription] = [:]
    var timer: LoopTimer?
    var wakesAt: Instant?
  }

  /// The duration of a chain.
  private static let chainTime = Duration.milliseconds(300)

  private let name: String
  private let devices: [(BluetoothAddress, rssi: Int)]
  private let store: any JobStore
  private let loop: Loop
  private let presence: GatewayPresence
  private let counts: Guarded<TrafficCounts>
  private let state: Guarded<State>

  /// - Parameters:
  ///   - devices: The devices that it observes.
  ///   - counts: Where its traffic is counted.
  package init(
    _ name: String, _ devices: [(BluetoothAddress, rssi: Int)], _ store: any JobStore,
    on loop: Loop, _ counts: Guarded<TrafficCounts>
  ) {
    (self.name, self.devices, self.store, self.loop) = (name, devices, store, loop)
    self.counts = counts
    let settings = FleetSettings()
    presence = GatewayPresence(name, GatewayEntry(), settings, in: store, on: loop)
    let machine = Gateway(name: name, incarnation: name, settings: settings, at: loop.now)
    state = Guarded(State(machine: machine))
  }

  package func begin() {
    handle(.woken)
    presence.begin(GatewayPresence.Handlers(report: { [self] in report() }, drain: {}))
  }

  private func report() -> SightingReport {
    counts.withLock { $0.reports += 1 }
    for (address, rssi) in devices { handle(.observed(address, rssi: rssi)) }
    let sightings = devices.map { address, rssi in
      var sighting = Sighting(address: address, rssi: rssi)
      sighting.name = "Device-\(address.number % 1_000_000)"
      return sighting
    }
    return SightingReport(gateway: name, sightings: sightings)
  }

  private func handle(_ event: Gateway.Event) {
    let (actions, next) = state.withLock { state in
      (state.machine.handle(event, at: loop.now), state.machine.next)
    }
    for action in actions { perform(action) }
    wake(at: next)
  }

  private func wake(at next: Instant?) {
    guard state.withLock({ $0.wakesAt != next }) else { return }
    state.withLock { $0.timer }?.cancel()
    let timer = next.map { next in
      loop.at(next) { [self] in
        state.withLock { ($0.timer, $0.wakesAt) = (nil, nil) }
        handle(.woken)
      }
    }
    state.withLock { ($0.timer, $0.wakesAt) = (timer, next) }
  }

  private func perform(_ action: Gateway.Action) {
    switch action {
    case .perform(let id, let request):
      store.perform(request, within: FleetSettings().requestLimit) { [self] answer in
        handle(.answered(id, answer))
      }
    case .subscribe(let address):
      let key = StoreKey.announcement(of: address)
      let subscription = store.subscribe(.one(key)) { [self] _, _ in
        counts.withLock { $0.announcements += 1 }
        handle(.announced(address))
      }
      state.withLock { $0.subscriptions[address] = subscription }
    case .unsubscribe(let address):
      state.withLock { $0.subscriptions.removeValue(forKey: address) }?.cancel()
    case .run(let chain, _):
      counts.withLock { $0.chains += 1 }
      loop.after(Self.chainTime) { [self] in handle(.chainEnded(chain, .ok)) }
    case .stop(let chain, _):
      loop.post { [self] in handle(.chainEnded(chain, .stopped)) }
    case .permit, .refuse, .journal, .forget, .ended, .drained:
      break
    }
  }
}
