// What the plans of a batch's devices have in common.

import Bluetooth
import Documents

/// Makes the plan for a device: the chain, values for all devices, and what the batch says beside it.
struct BatchTemplate: Sendable {
  var chain: ChainTemplate
  /// Values for the variables of all devices; a device's own win over them, a command line's over
  /// both.
  var common = Bindings()
  var given = Bindings()
  /// In the place of the chain's own.
  var retry: RetryRule?
  /// What a command line changes in each plan.
  var change: @Sendable (inout Plan) -> Void = { _ in }

  /// A device with its plan.
  ///
  /// - Parameters:
  ///   - name: What it called itself as a scan found it.
  ///   - own: Values for the variables of this device.
  /// - Throws: `DocumentErrors` with what is wrong with the chain, or with the values for it.
  func device(
    _ target: DeviceTarget,
    name: String? = nil,
    _ own: Bindings
  ) throws(DocumentErrors) -> BatchDevice {
    var plan = try chain.plan(with: common.overridden(by: own).overridden(by: given))
    plan.device = target
    if let retry { plan.retry = retry }
    change(&plan)
    return BatchDevice(label: target.text, target: target, name: name, plan: plan)
  }
}
