// The interface to the kernel's HCI sockets; a test replaces it with scripted replies.

import Bluetooth

/// The kernel's HCI interface.
protocol HostKernel: Sendable {
  /// The links of a controller.
  func connections(of index: UInt16) throws(KernelRefusal) -> [KernelConnection]

  /// The first page of LMP features of a controller.
  func features(of index: UInt16) throws(KernelRefusal) -> [UInt8]

  /// Sends a command to a controller and waits for its answer.
  ///
  /// - Throws: ``KernelRefusal``; the errors of a wait.
  func answer(to command: HCICommand, of index: UInt16) async throws -> HCIAnswer

  /// Sends a change of a connection to a controller, and waits for its result.
  ///
  /// - Throws: ``KernelRefusal``; the errors of a wait.
  func result<Procedure: LinkProcedure>(
    of procedure: Procedure, by index: UInt16
  ) async throws -> Result<Procedure.Agreed, HostProblem>

  /// Sends a management command to the kernel and waits for its answer.
  ///
  /// - Throws: ``KernelRefusal``; the errors of a wait.
  func answer(to command: ManagementCommand) async throws -> ManagementAnswer
}

/// A connection as the kernel lists it.
struct KernelConnection: Hashable, Sendable {
  let handle: UInt16
  let address: BluetoothAddress
}

/// A system call that failed.
struct KernelRefusal: Error, Hashable, Sendable {
  let errorNumber: Int32

  /// The failure of an operation that needed the call.
  func failure(_ operation: String) -> DeviceFailure {
    HostProblem.systemCall(errorNumber).failure(operation)
  }
}
