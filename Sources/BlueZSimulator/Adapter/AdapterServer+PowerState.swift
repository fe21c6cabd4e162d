// Adapter1.PowerState, in the releases that have it.

import BlueZInterfaces
import DBus
import Signals

extension AdapterServer {
  /// The value of `PowerState`.
  var powerState: String {
    switch state.comingPower {
    case true?: return Adapter1.PowerState.turningOn
    case false?: return Adapter1.PowerState.turningOff
    case nil: return isPowered ? Adapter1.PowerState.on : Adapter1.PowerState.off
    }
  }

  /// The adapter starts to change its power or, with nil, has finished.
  func changesPower(to isOn: Bool?) {
    state.comingPower = isOn
    mark(Adapter1.powerState)
  }
}
