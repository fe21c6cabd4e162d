// The seam between what is asked of the kernel and how: a test puts a script in its place.

import Bluetooth

/// The kernel's side of HCI.
protocol HostKernel: Sendable {
  /// The links of a controller.
  func connections(of index: UInt16) throws(KernelRefusal) -> [KernelConnection]

  /// The first page of LMP features of a controller.
  func features(of index: UInt16) throws(KernelRefusal) -> [UInt8]

  /// Has a controller do a command.
  ///
  /// - Throws: ``KernelRefusal``; what ends a wait.
  func answer(to command: HCICommand, of index: UInt16) async throws -> HCIAnswer

  /// Has the kernel do a management command.
  ///
  /// - Throws: ``KernelRefusal``; what ends a wait.
  func answer(to command: ManagementCommand) async throws -> ManagementAnswer
}

/// A link as the kernel lists it.
struct KernelConnection: Hashable, Sendable {
  let handle: UInt16
  let address: BluetoothAddress
}

/// A system call that failed.
struct KernelRefusal: Error, Hashable, Sendable {
  let errorNumber: Int32
}
