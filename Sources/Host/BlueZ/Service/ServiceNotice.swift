// Notices of a service during its work, for people who watch.

public import Bluetooth

/// Information that is not a failure.
public enum ServiceNotice: Hashable, Sendable, CustomStringConvertible {
  /// The device is unknown to bluetoothd: a discovery for it has begun.
  case finding
  /// Several devices match; the first is used.
  case choosing(DeviceTarget, [DeviceCandidate])
  /// This attempt to connect begins.
  case connecting(attempt: Int, of: Int)
  /// An attempt to connect failed; this one follows.
  case trying(again: Int, of: Int, String)
  /// Another run on this host uses the device: its end is waited for.
  case awaiting(run: String)
  /// The attempt of another program is ended, as requested.
  case takingOver
  /// The attempt of a killed run is ended.
  case endingStale
  /// The device is removed although it is paired.
  case losingBond

  /// Whether it is only what happens in every connect, for a view of what is under way.
  public var isRoutine: Bool {
    switch self {
    case .finding, .connecting: true
    case .choosing, .trying, .awaiting, .takingOver, .endingStale, .losingBond: false
    }
  }

  public var description: String {
    switch self {
    case .finding: "scanning for the device"
    case .choosing(let target, let devices):
      "\(devices.count) devices match \(target); "
        + (devices.first?.rssi == nil ? "the connected one" : "the strongest") + " is used: "
        + DeviceCandidate.list(devices)
    case .connecting(let attempt, let most): "connecting: attempt \(attempt) of \(most)"
    case .trying(let attempt, let most, let why):
      "connecting: \(why); attempt \(attempt) of \(most) follows"
    case .awaiting(let run): "waiting for \(run), which uses the device"
    case .takingOver: "connecting: ending the attempt of another program"
    case .endingStale: "connecting: ending the attempt of a killed run"
    case .losingBond:
      "--fresh removes the bond with the device: pair again if the device requires it"
    }
  }
}
