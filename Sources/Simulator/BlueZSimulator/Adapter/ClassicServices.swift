// The interfaces that no LE device needs, and that clients look for or register with at their start.
//
// Registrations are accepted, counted and have no effect: the adapter has no BR/EDR.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The objects that programs have registered for profiles, players and battery levels.
///
/// - Source: recorded from bluetoothd 5.82.
final class ClassicServices: Sendable {
  private struct Registration: Hashable, Sendable {
    let client: String
    let object: ObjectPath
    /// The interface and, where it has several kinds of objects, the method.
    let kind: String
  }

  private let host: Host
  private let registered: Confined<Set<Registration>>

  init(host: Host) {
    self.host = host
    registered = Confined([], to: host.loop)
  }

  /// Drops the registrations of a client that left the bus.
  func clientLeft(_ client: String) {
    registered.contents = registered.contents.filter { $0.client != client }
  }

  private func register(_ object: ObjectPath, _ kind: String, _ call: Invocation) {
    let (isNew, _) = registered.contents.insert(
      Registration(client: call.caller, object: object, kind: kind)
    )
    if isNew { call.reply() } else { call.refuse(.alreadyExists) }
  }

  private func unregister(
    _ object: ObjectPath, _ kind: String, _ call: Invocation,
    else refusal: ErrorAnswer = .doesNotExist
  ) {
    let gone = registered.contents.remove(
      Registration(client: call.caller, object: object, kind: kind)
    )
    if gone == nil { call.refuse(refusal) } else { call.reply() }
  }

  // MARK: Interfaces

  /// The interfaces of `/org/bluez` behind AgentManager1.
  var ofManager: [ExportedInterface] {
    [
      ProfileManager1.declaration.exported(methods: [
        ExportedMethod(ProfileManager1.registerProfile) { [self] arguments, call in
          let (profile, uuid, _) = arguments
          guard BluetoothUUID(ofProgram: uuid) != nil else { return call.refuse(.invalidArguments) }
          register(profile, ProfileManager1.interface, call)
        },
        ExportedMethod(ProfileManager1.unregisterProfile) { [self] in
          unregister($0, ProfileManager1.interface, $1)
        },
      ]),
      HealthManager1.declaration.exported(methods: [
        ExportedMethod(HealthManager1.createApplication) { $1.refuse(.invalidArguments) },
        ExportedMethod(HealthManager1.destroyApplication) { $1.refuse(.noSuchApplication) },
      ]),
    ]
  }

  /// The interface of an adapter behind Adapter1.
  var batteryProviders: ExportedInterface {
    BatteryProviderManager1.declaration.exported(methods: [
      ExportedMethod(BatteryProviderManager1.register) { [self] in
        register($0, BatteryProviderManager1.interface, $1)
      },
      ExportedMethod(BatteryProviderManager1.unregister) { [self] in
        unregister($0, BatteryProviderManager1.interface, $1, else: .noProvider)
      },
    ])
  }

  /// The interfaces of an adapter behind GattManager1.
  var ofAdapter: [ExportedInterface] {
    let media = Media1.registrations.flatMap { register, unregister in
      [
        ExportedMethod(register) { [self] arguments, call in
          // Without BR/EDR there is no service for an endpoint.
          if register.name == "RegisterEndpoint" { return call.refuse(.invalidArguments) }
          self.register(arguments.0, register.name, call)
        },
        ExportedMethod(unregister) { [self] in self.unregister($0, register.name, $1) },
      ]
    }
    let network = [
      ExportedMethod(NetworkServer1.register) { arguments, call in
        let isKnown = ["nap", "panu", "gn"].contains(arguments.0.lowercased())
        if isKnown { call.reply() } else { call.refuse(.failed("Invalid UUID")) }
      },
      ExportedMethod(NetworkServer1.unregister) { $1.reply() },
    ]
    let simulated = host.settings.version.has(.emptyInterfaces)
    // A2DP source and sink.
    let services: [UInt16] = host.settings.version.has(.classicMedia) ? [] : [0x110a, 0x110b]
    let uuids = services.map { BluetoothUUID(short: $0).text }
    return [
      Media1.declaration.exported(
        methods: media, properties: [ExportedProperty(Media1.supportedUUIDs) { uuids }]
      ),
      NetworkServer1.declaration.exported(methods: network),
    ] + (simulated ? [Self.simAccess] : [])
  }

  private static let simAccess = SimAccess1.declaration.exported(
    methods: [
      ExportedMethod(SimAccess1.disconnect) { $0.refuse(.failed("Client already disconnected")) }
    ],
    properties: [ExportedProperty(SimAccess1.connected) { false }]
  )
}

extension ErrorAnswer {
  fileprivate static let noSuchApplication = ErrorAnswer(
    BlueZErrorName.invalidArguments, "Invalid arguments in method call, no such application"
  )
  fileprivate static let noProvider = ErrorAnswer(
    BlueZErrorName.doesNotExist, "Provider does not exist"
  )
}
