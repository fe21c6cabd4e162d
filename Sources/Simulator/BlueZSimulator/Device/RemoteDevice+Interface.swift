// The Device1 object of a simulated device: its methods and properties.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension RemoteDevice {
  /// The interfaces that the object always has.
  var interfaces: [ExportedInterface] {
    let bearers = host.settings.version.has(.bearerInterfaces) ? [BearerLE1.bare.exported()] : []
    return [interface] + bearers
  }

  private var interface: ExportedInterface {
    Device1.declaration.exported(
      by: host.settings.version,
      methods: [
        ExportedMethod(Device1.disconnect) { self.disconnect($0) },
        ExportedMethod(Device1.connect) { self.connect($0) },
        // Profiles require BR/EDR, which the adapter does not have.
        ExportedMethod(Device1.connectProfile) { [version = host.settings.version] uuid, call in
          let isUnknown = version.has(.profileArguments) && BluetoothUUID(ofProgram: uuid) == nil
          call.refuse(isUnknown ? .invalidProfile : .profileSearchFailed)
        },
        ExportedMethod(Device1.disconnectProfile) { $1.refuse(.invalidArguments) },
        ExportedMethod(Device1.pair) { self.pair($0) },
        ExportedMethod(Device1.cancelPairing) { self.cancelPairing($0) },
      ],
      properties: [
        value(Device1.address) { $0.known.address },
        value(Device1.addressType) { $0.known.addressType },
        value(Device1.name) { $0.known.name },
        value(Device1.alias, { $0.shownAlias }) { known, alias in
          known.alias = alias.isEmpty ? nil : alias
        },
        value(Device1.appearance) { $0.known.appearance },
        value(Device1.icon) { $0.known.icon },
        value(Device1.paired) { $0.known.isPaired },
        value(Device1.bonded) { $0.known.isPaired },
        value(Device1.trusted, { $0.isTrusted }) { known, isTrusted in
          known.isTrusted = isTrusted
        },
        ExportedProperty(Device1.blocked, set: { self.setBlocked($0, $1) }) { self.isBlocked },
        value(Device1.legacyPairing) { _ in false },
        value(Device1.cablePairing) { _ in false },
        value(Device1.rssi) { $0.known.rssi.map { Int16($0) } },
        value(Device1.connected) { $0.machine.isConnected },
        value(Device1.uuids) { $0.known.services },
        value(Device1.modalias) { $0.known.modalias },
        value(Device1.adapter) { [adapter] _ in adapter },
        value(Device1.manufacturerData) { state in
          let data = state.known.manufacturerData
          return data.isEmpty ? nil : data.map { ($0.company, $0.octets) }
        },
        value(Device1.serviceData) { state in
          let data = state.known.serviceData
          return data.isEmpty ? nil : data.map { ($0.service, $0.octets) }
        },
        value(Device1.txPower) { $0.known.txPower.map { Int16($0) } },
        value(Device1.servicesResolved) { $0.machine.isResolved },
        value(Device1.advertisingFlags) { $0.known.advertisingFlags.map { [$0] } },
        ExportedProperty(Device1.wakeAllowed, set: { $1.refuse(.notSupported) }) { nil },
      ]
    )
  }

  private func value<Value>(
    _ property: Property<Value>, _ read: @escaping @Sendable (Confined<State>) -> Value?
  ) -> ExportedProperty {
    ExportedProperty(property) { read(self.state) }
  }

  /// A property that clients can set. Changes are announced before the reply, as recorded from
  /// bluetoothd.
  private func value<Value: Equatable>(
    _ property: Property<Value>, _ read: @escaping @Sendable (KnownDevice) -> Value,
    _ change: @escaping @Sendable (inout KnownDevice, Value) -> Void
  ) -> ExportedProperty {
    ExportedProperty(
      property,
      set: { value, call in
        let before = read(self.state.known)
        change(&self.state.known, value)
        if read(self.state.known) != before { self.mark(property) }
        call.reply()
      },
      get: { read(self.state.known) }
    )
  }
}
