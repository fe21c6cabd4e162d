// Adapter1.PowerState, in the releases that have it.

import BlueZInterfaces
import DBus
import Signals

extension AdapterServer {
  /// The property; there is none before 5.73.
  var powerState: [ExportedProperty] {
    guard host.settings.version >= .powerState else { return [] }
    return [
      ExportedProperty(Adapter1.Property.powerState, "s") { [self] in .string(powerStateText) }
    ]
  }

  private var powerStateText: String {
    let (isPowered, coming) = state.withLock { ($0.isPowered, $0.comingPower) }
    switch coming {
    case true?: return Adapter1.PowerState.turningOn
    case false?: return Adapter1.PowerState.turningOff
    case nil: return isPowered ? Adapter1.PowerState.on : Adapter1.PowerState.off
    }
  }

  /// The adapter is being switched, or, with nil, has been.
  func changesPower(to isOn: Bool?) {
    state.withLock { $0.comingPower = isOn }
    if host.settings.version >= .powerState { mark(Adapter1.Property.powerState) }
  }
}
