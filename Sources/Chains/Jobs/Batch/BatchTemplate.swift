// Creates the plans of the devices of a batch.

import Bluetooth
import Documents

/// The chain of a batch and the values and settings for all devices, from which each plan is made.
struct BatchTemplate: Sendable {
  var chain: ChainTemplate
  /// Values for the variables of all devices, from the file. Those of a device override them; those
  /// of the command line (`given`) override both.
  var common = Bindings()
  var given = Bindings()
  /// Names for UUIDs; those of the chain override them.
  var names = AttributeNames.assigned
  /// The retry rule of the batch, which replaces that of the chain; nil keeps it.
  var retry: RetryRule?
  /// The gateways for all devices; those of a device override them.
  var placement = Placement()
  /// A change from the command line, applied to each plan.
  var change: @Sendable (inout Plan) -> Void = { _ in }

  /// Creates a device with its plan.
  ///
  /// - Parameters:
  ///   - name: The advertised name, if a scan found the device.
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
