// Performs actions, of a scenario's faults and of the control interface.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension ScenarioPlayer {
  func perform(_ action: WorldAction) {
    switch action {
    case .device(let device, let change):
      state.contents.remember(change, of: device)
      simulator?.apply(change, to: device)
    case .adapter(let adapter, let change):
      simulator?.apply(change, toAdapter: adapter)
      switch change {
      case .plugIn: restoreLasting()
      case .power, .unplug: break
      }
    case .endDaemon(let isKilled): simulator?.end(isKilled: isKilled)
    case .startDaemon: startDaemon()
    case .closeBus: closeBus()
    case .calls(let selection, let treatment):
      state.treatments.set(selection, treatment)
    case .otherProgram(let action): other(action)
    case .otherProgramsLeave:
      for other in state.others { other.leave() }
      state.others = []
    }
  }

  /// Applies the lasting changes of the scenario to a new bluetoothd, which does not have them.
  func restoreLasting() {
    for device in state.absent { simulator?.vanish(device) }
    for (device, resolution) in state.services { simulator?.resolve(resolution, at: device) }
    for (service, device) in state.missing { simulator?.offer(service, false, at: device) }
    for (service, device) in state.replaced { simulator?.replace(service, true, at: device) }
  }

  // MARK: bluetoothd

  private func startDaemon() {
    guard let before = simulator else { return }
    begin { player in try await player.start(after: before, on: try await player.connect()) }
  }

  /// Starts a bluetoothd after one that has ended.
  func start(after before: BlueZSimulator, on bus: MessageBus) async throws {
    let old = before.host.bus.uniqueName
    // The bus notices the end of a connection with a delay.
    while try await bus.nameOwner(OrgBlueZ.busName) == old {
      try await loop.sleep(for: .milliseconds(1))
    }
    try await start(before.successor(on: bus))
  }

  /// Runs an asynchronous action, and ignores its errors: they mean that the bus has ended.
  private func begin(_ body: @escaping @Sendable (ScenarioPlayer) async throws -> Void) {
    _ = loop.task { [weak self] in
      guard let self else { return }
      try? await body(self)
    }
  }

  // MARK: Other programs

  private func other(_ action: OtherProgramAction) {
    begin { player in
      let program = OtherProgram(try await player.connect())
      if player.state.isOver { return program.die() }
      player.perform(action, by: program)
    }
  }

  private func perform(_ action: OtherProgramAction, by program: OtherProgram) {
    guard let simulator else { return program.die() }
    switch action {
    case .remove(let address):
      if let device = simulator.device(address), device.isExported {
        program.remove(device.path, from: device.adapter)
      }
      after(.milliseconds(1)) { _ in program.die() }
    case .connect(let address):
      guard let device = known(address) else { return program.die() }
      // The attempt lasts for as long as bluetoothd tries.
      device.device.setNextConnect(.neverAnswer)
      program.connect(device)
      state.others.append(program)
    case .leaveLink(let address):
      guard let device = known(address) else { return program.die() }
      program.connect(device)
      after(.milliseconds(1)) { _ in program.die() }
    case .acquire(let characteristic, let side, let address):
      guard let device = known(address) else { return program.die() }
      state.others.append(program)
      program.connect(device)
      acquire(side, of: characteristic, device, by: program)
    case .scan(let index):
      guard let adapter = simulator.path(ofAdapter: index) else { return program.die() }
      state.others.append(program)
      program.scan(adapter)
    }
  }

  /// The object of a device. The other program is assumed to have scanned: the device is known if
  /// it is in range.
  private func known(_ address: BluetoothAddress) -> RemoteDevice? {
    guard let device = simulator?.device(address), device.isInAir else { return nil }
    if !device.isExported {
      device.observe(device.device.advertisement(), reportsAll: false, threshold: 0)
    }
    return device
  }

  /// Acquires a characteristic for the other program as soon as the services are resolved, before
  /// any client is told and could subscribe or write.
  private func acquire(
    _ side: OtherProgramAction.AcquiredSide, of characteristic: CharacteristicSelector,
    _ device: RemoteDevice, by program: OtherProgram
  ) {
    device.whenResolved { [weak self, weak device] in
      guard let self, let device, let handle = device.device.table.handle(of: characteristic),
        let path = device.attributes?.path(of: handle)
      else { return }
      begin { _ in try await program.acquire(side, of: path) }
    }
  }
}

extension ScenarioPlayer.State {
  /// Remembers a change that a new bluetoothd, or a new adapter, must find again.
  fileprivate mutating func remember(_ change: DeviceChange, of device: BluetoothAddress) {
    switch change {
    case .vanish: absent.append(device)
    case .appear: absent.removeAll { $0 == device }
    case .offer(let service, let isOffered):
      missing.removeAll { $0 == (service, device) }
      if !isOffered { missing.append((service, device)) }
    case .replace(let service, let isReplaced):
      replaced.removeAll { $0 == (service, device) }
      if isReplaced { replaced.append((service, device)) }
    case .services(let resolution):
      services.removeAll { $0.device == device }
      services.append((device, resolution))
    // The device itself keeps these.
    case .loseLink, .loseBonds, .notifications, .rules, .rule, .move, .follow, .stray, .set,
      .release, .advertise:
      break
    }
  }
}
