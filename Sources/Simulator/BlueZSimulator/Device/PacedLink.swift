// Sends values at the connection events of a link with a speed; at once without one.

import Bluetooth
import Signals
import SimulatedDevices

/// The two sides of the connection to a device.
final class PacedLink: Sendable {
  enum Side {
    case central, peripheral
  }

  private struct State {
    var central: LinkPace?
    var peripheral: LinkPace?
    /// The number of the current connection: what waits of an earlier one is dropped.
    var link = 0
  }

  private let loop: Loop
  private let state: Confined<State>

  init(on loop: Loop) {
    self.loop = loop
    state = Confined(State(), to: loop)
  }

  /// Begins a connection.
  ///
  /// - Parameter speed: nil: values are sent at once.
  func begin(_ speed: LinkSpeed?) {
    let pace = speed.map { LinkPace($0, at: loop.now) }
    state.contents = State(central: pace, peripheral: pace, link: state.link + 1)
  }

  /// Changes the interval of the connection, after the packets that wait.
  func change(_ interval: Duration) {
    state.central?.change(interval, at: loop.now)
    state.peripheral?.change(interval, at: loop.now)
  }

  /// Changes the PHY of the connection, after the packets that wait.
  func change(_ phy: PHY) {
    state.central?.change(phy, at: loop.now)
    state.peripheral?.change(phy, at: loop.now)
  }

  /// Ends the connection.
  func end() { begin(nil) }

  /// Delivers a command of the central when it is on air; after a latency on a link without a speed.
  /// Those that wait are dropped when the connection ends.
  ///
  /// Any number may wait.
  ///
  /// - Source: BlueZ 5.66, `src/shared/att.c` (bt_att_chan_send, bt_att_send), whose queue of commands
  ///   has no limit, and `src/gatt-client.c` (sock_read), which reads a socket whatever is queued.
  func send(_ octets: Int, latency: Duration, _ deliver: @escaping @Sendable () -> Void) {
    let link = state.link
    loop.after(wait(forSending: octets) ?? latency) { [weak self] in
      if self?.state.link == link { deliver() }
    }
  }

  /// The time until a request or a command of the central is on air; nil without a speed.
  func wait(forSending octets: Int) -> Duration? {
    let now = loop.now
    guard let time = state.central?.send(octets, at: now) else { return nil }
    return time - now
  }

  /// Delivers a notification of the peripheral: now, or when it is on air. One that finds the
  /// buffers of the device full is dropped, and all that wait are when the connection ends.
  func notify(_ octets: Int, _ deliver: @escaping @Sendable () -> Void) {
    let now = loop.now
    guard state.peripheral != nil else { return deliver() }
    guard state.peripheral?.isFull(at: now) == false,
      let time = state.peripheral?.send(octets, at: now)
    else { return }
    let link = state.link
    loop.at(time) { [weak self] in
      if self?.state.link == link { deliver() }
    }
  }
}
