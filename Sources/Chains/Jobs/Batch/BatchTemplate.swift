// Makes the plans of the devices of a batch.

import Bluetooth
import Documents

/// Makes the plan of a device from the chain, the values for all devices, and the settings of the
/// batch.
struct BatchTemplate: Sendable {
  var chain: ChainTemplate
  /// Values for the variables of all devices. Values of a device override them; values of a command
  /// line override both.
  var common = Bindings()
  var given = Bindings()
  /// Names for UUIDs; those of the chain override them.
  var names = AttributeNames.assigned
  /// Replaces that of the chain.
  var retry: RetryRule?
  /// The gateways for all devices. Those of a device override them.
  var placement = Placement()
  /// The change that a command line makes to each plan.
  var change: @Sendable (inout Plan) -> Void = { _ in }

  /// A device with its plan.
  ///
  /// - Parameters:
  ///   - name: Its name when a scan found it.
  ///   - own: Values for the variables of this device.
  /// - Throws: `DocumentErrors` with the errors in the chain, or in its values.
  func device(
    _ target: DeviceTarget, name: String? = nil, _ own: Bindings,
    at placement: Placement = Placement()
  ) throws(DocumentErrors) -> BatchDevice {
    let bindings = common.overridden(by: own).overridden(by: given)
    var plan = try chain.plan(with: bindings, names: names)
    plan.device = target
    if let retry { plan.retry = retry }
    change(&plan)
    var device = BatchDevice(label: target.text, target: target, name: name, plan: plan)
    device.placement = placement.or(self.placement)
    device.origin = Uncompared((chain, bindings))
    return device
  }
}
