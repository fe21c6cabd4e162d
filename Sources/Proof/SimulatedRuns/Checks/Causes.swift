// A failure names its real cause, never just the closest one.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Checks that each cause that a failure names has really occurred before.
struct Causes: Check {
  /// Events that a failure may name only after they occurred.
  private struct Happened {
    var isAdapterOff = false
    var isAdapterGone = false
    var isDaemonGone = false
    var isBusGone: Set<Int> = []
    var isRefused = false
    var isWithdrawn = false
    var isUnread = false
    var isTooLong = false
  }

  private(set) var problems: [BrokenRule] = []
  private let world: World
  private var happened = Happened()
  private var plans: [ChainID: ChainPlan] = [:]

  init(_ world: World) { self.world = world }

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .requested(let id, let plan): plans[id] = plan
    case .disturbance(.fault(let action)): apply(action)
    case .disturbance(.leave(let program)): happened.isBusGone.insert(program)
    case .disturbance(.stall): break
    case .disturbance(.oversize): happened.isTooLong = true
    case .ended(let id, let ending):
      for failure in ending.failures {
        guard let plan = plans[id], let missing = missingCause(of: failure, id, plan) else {
          continue
        }
        problems.append(
          BrokenRule(
            rule: "A failure is reported as what it is", detail: "\(id): \(missing): \(failure)",
            at: now
          )
        )
      }
    case .message, .treated, .device, .healed, .joined, .turnBegan, .turnEnded, .stepBegan,
      .stepValue, .stepEnded, .cancelled:
      break
    }
  }

  private mutating func apply(_ action: WorldAction) {
    switch action {
    case .adapter(_, .power(false)): happened.isAdapterOff = true
    case .adapter(_, .unplug): happened.isAdapterGone = true
    case .endDaemon: happened.isDaemonGone = true
    case .device(_, .offer(_, false)): happened.isWithdrawn = true
    case .device(_, .rules(let rules)):
      for rule in rules {
        guard case .refuse = rule.action else { continue }
        happened.isRefused = true
        if rule.on == .discover || rule.on == .any { happened.isUnread = true }
      }
    case .adapter, .device, .startDaemon, .closeBus, .calls, .otherProgram, .otherProgramsLeave:
      break
    }
  }

  private func missingCause(
    of failure: DeviceFailure, _ id: ChainID, _ plan: ChainPlan
  ) -> String? {
    switch failure.code {
    case .adapterOff where !happened.isAdapterOff: return "the adapter was never off"
    case .adapterMissing where !happened.isAdapterGone && !happened.isDaemonGone:
      return "the adapter was never gone"
    case .daemonMissing where !happened.isDaemonGone: return "bluetoothd was never gone"
    case .invalidValue where !happened.isTooLong: return "no value was too long"
    case .busLost where !happened.isBusGone.contains(id.program): return "the bus was never lost"
    case .refused where failure.att != nil && !happened.isRefused:
      // The request may wait for a pairing in progress, which another program may end.
      let mayWait = hasProtected(plan.device) && isUsed(plan.device, byOthersThan: id.program)
      return failure.att == .unlikelyError && mayWait ? nil : "the device refused nothing"
    case .characteristicMissing, .serviceMissing:
      // A missing descriptor is reported with the same code.
      let asksForMore = plan.steps.contains {
        if case .readDescriptor = $0.bare { true } else { false }
      }
      if asksForMore || happened.isWithdrawn || happened.isUnread { return nil }
      return "everything that was asked for is there"
    case .pairingFailed, .notPaired:
      let isPicky =
        world.devices[plan.device].pairing.method == .reject || hasProtected(plan.device)
      let isCancelled = !world.disturbances.isEmpty || isUsed(plan.device, byOthersThan: id.program)
      return isPicky || isCancelled ? nil : "the device pairs with any host"
    // open: codes of failures, most of which need no cause
    default: return nil
    }
  }

  /// True if the device has attributes that require pairing.
  private func hasProtected(_ device: Int) -> Bool {
    world.devices[device].services.contains { $0.uuid == DeviceDraft.userData }
  }

  /// True if another program uses the device: when it disconnects or removes the device, a pairing
  /// in progress ends.
  private func isUsed(_ device: Int, byOthersThan program: Int) -> Bool {
    plans.contains { id, plan in id.program != program && plan.device == device }
  }

  mutating func finish(at now: Instant) {}
}

extension ChainEnding {
  /// Every device failure in the result.
  var failures: [DeviceFailure] {
    guard let failed = error as? FailedWithCleanUp else {
      return [error as? DeviceFailure].compactMap { $0 }
    }
    let all = [failed.cause] + failed.cleanUp.map(\.error)
    return all.compactMap { $0 as? DeviceFailure }
  }
}
