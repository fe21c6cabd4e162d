// What the blows of a scenario do.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension ScenarioPlayer {
  func perform(_ action: WorldAction) {
    switch action {
    case .loseLink(let device): simulator?.loseLink(device)
    case .vanish(let device):
      state.withLock { $0.absent.append(device) }
      simulator?.vanish(device)
    case .appear(let device):
      state.withLock { $0.absent.removeAll { $0 == device } }
      simulator?.appear(device)
    case .offer(let service, let isOffered, let device):
      state.withLock { state in
        state.missing.removeAll { $0 == (service, device) }
        if !isOffered { state.missing.append((service, device)) }
      }
      simulator?.offer(service, isOffered, at: device)
    case .replace(let service, let isReplaced, let device):
      state.withLock { state in
        state.replaced.removeAll { $0 == (service, device) }
        if isReplaced { state.replaced.append((service, device)) }
      }
      simulator?.replace(service, isReplaced, at: device)
    case .services(let services, let device): resolve(services, at: device)
    case .notifications(let fault, let device):
      devices.first { $0.definition.address == device }?.setNotificationFault(fault)
    case .power(let isOn, let adapter): simulator?.setPowered(isOn, adapter: adapter)
    case .unplug(let adapter): simulator?.unplug(adapter: adapter)
    case .plugIn(let number, let adapter):
      simulator?.plugIn(as: number, adapter: adapter)
      restoreLasting()
    case .endDaemon(let isKilled): endDaemon(isKilled: isKilled)
    case .startDaemon: startDaemon()
    case .closeBus: closeBus()
    case .requests(let kind, let treatment):
      state.withLock { $0.treatments.set(kind, treatment) }
    case .otherRemoves, .otherConnects, .otherLeavesLink, .otherAcquires, .otherScans:
      other(action)
    case .othersLeave:
      let others = state.withLock { state in
        defer { state.others = [] }
        return state.others
      }
      for other in others { other.leave() }
    }
  }

  // MARK: Services

  private func resolve(_ services: WorldAction.Services, at device: BluetoothAddress) {
    let resolution: ServiceResolution =
      switch services {
      case .inOrder: .inOrder
      case .early(let delay): .early(delay)
      case .empty: .empty
      case .never: .never
      }
    state.withLock { state in
      state.services.removeAll { $0.device == device }
      state.services.append((device, resolution))
    }
    simulator?.resolve(resolution, at: device)
  }

  /// What a bluetoothd does not remember, and the scenario does.
  func restoreLasting() {
    let (services, missing, absent, replaced) = state.withLock {
      ($0.services, $0.missing, $0.absent, $0.replaced)
    }
    for device in absent { simulator?.vanish(device) }
    for (device, resolution) in services { simulator?.resolve(resolution, at: device) }
    for (service, device) in missing { simulator?.offer(service, false, at: device) }
    for (service, device) in replaced { simulator?.replace(service, true, at: device) }
  }

  // MARK: bluetoothd

  private func endDaemon(isKilled: Bool) {
    guard let simulator else { return }
    if !isKilled { simulator.stop() }
    simulator.crash()
  }

  /// Starts a bluetoothd after one that has ended.
  private func startDaemon() {
    guard let before = simulator else { return }
    begin { player in
      let bus = try await player.connect()
      // A bus learns of the end of a connection when it gets to it.
      while try await bus.nameOwner(OrgBlueZ.busName) != nil {
        try await player.loop.sleep(for: .milliseconds(1))
      }
      let successor = before.successor(on: bus)
      try await player.start(successor)
    }
  }

  /// Does something that takes its time. What fails then is not there: the bus has ended.
  private func begin(_ body: @escaping @Sendable (ScenarioPlayer) async throws -> Void) {
    _ = loop.task { [weak self] in
      guard let self else { return }
      try? await body(self)
    }
  }

  // MARK: Other programs

  private func other(_ action: WorldAction) {
    begin { player in
      let program = OtherProgram(try await player.connect())
      if player.state.withLock({ $0.isOver }) { return program.die() }
      player.perform(action, by: program)
    }
  }

  private func perform(_ action: WorldAction, by program: OtherProgram) {
    guard let simulator else { return program.die() }
    switch action {
    case .otherRemoves(let address):
      if let device = simulator.device(address), device.isExported {
        program.remove(device.path, from: device.adapter)
      }
      after(.milliseconds(1)) { _ in program.die() }
    case .otherConnects(let address):
      guard let device = known(address) else { return program.die() }
      // Its attempt goes on for as long as bluetoothd tries.
      device.device.setNextConnect(.neverAnswer)
      program.connect(device)
      state.withLock { $0.others.append(program) }
    case .otherLeavesLink(let address):
      guard let device = known(address) else { return program.die() }
      program.connect(device)
      after(.milliseconds(1)) { _ in program.die() }
    case .otherAcquires(let characteristic, let side, let address):
      guard let device = known(address) else { return program.die() }
      state.withLock { $0.others.append(program) }
      program.connect(device)
      acquire(side, of: characteristic, device, by: program, attempts: 100)
    case .otherScans(let index):
      guard let adapter = simulator.path(ofAdapter: index) else { return program.die() }
      state.withLock { $0.others.append(program) }
      program.scan(adapter)
    default: program.die()
    }
  }

  /// The other program has scanned before: the device is known, if it is there.
  private func known(_ address: BluetoothAddress) -> RemoteDevice? {
    guard let device = simulator?.device(address), device.isInAir else { return nil }
    if !device.isExported {
      device.heard(device.device.advertisement(), tellsAll: false, threshold: 0)
    }
    return device
  }

  private func acquire(
    _ side: WorldAction.AcquiredSide,
    of characteristic: CharacteristicSelector,
    _ device: RemoteDevice,
    by program: OtherProgram,
    attempts: Int
  ) {
    if device.isResolved, let handle = device.device.table.handle(of: characteristic),
      let path = device.attributes?.path(of: handle)
    {
      return begin { _ in try await program.acquire(side, of: path) }
    }
    guard attempts > 0 else { return }
    after(.milliseconds(50)) { player in
      player.acquire(side, of: characteristic, device, by: program, attempts: attempts - 1)
    }
  }
}

extension RemoteDevice {
  fileprivate var isResolved: Bool { state.withLock { $0.machine.isResolved } }
}
