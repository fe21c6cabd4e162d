// A program that does not outlive this process: that of a `command` step, or the logic of a device.
//
// A supervisor process is its parent: see CProcess/supervisor.c. Programs that may outlive this process, such as the
// guard of its connections, are a plain ChildProcess.

import CLinux
import CProcess
import Documents
import Glibc
import Signals

/// A program with all its descendants, in any process group or session.
///
/// ``end()`` ends them. If this process is killed, or leaves at once, the supervisor kills them.
final class SupervisedProgram: Sendable {
  private let supervisor: ChildProcess
  /// The writing end of the pipe that the supervisor reads. The kernel closes it if this process is killed.
  private let leash: Int32

  /// Starts a program in a group of its own, with default signals and an empty mask.
  ///
  /// - Parameters:
  ///   - arguments: The path of the program, and its arguments.
  ///   - file: The file to execute in place of the path; nil for the path.
  ///   - folder: The working directory of the program.
  ///   - descriptors: The descriptors of this process that become 0, 1, 2 … of the program.
  init(
    _ arguments: [String], file: String? = nil, in folder: String, descriptors: [Int32]
  ) throws(ChildProcess.Failure) {
    let failed = { (number: Int32) in
      ChildProcess.Failure(program: arguments[0], errorNumber: number)
    }
    guard let leash = try? Pipe() else { throw failed(errno) }
    guard let started = try? Pipe() else {
      let number = errno
      leash.close()
      throw failed(number)
    }
    defer { started.close() }
    let identifier = Self.start(
      arguments, file: file ?? arguments[0], in: folder, descriptors, leash: leash.reading,
      started: started.writing
    )
    let number = errno
    leash.closeReading()
    started.closeWriting()
    guard identifier >= 0 else {
      leash.close()
      throw failed(number)
    }
    let supervisor = ChildProcess(identifier: identifier)
    if let number = Self.number(from: started.reading) {
      leash.close()
      supervisor.wait()
      throw failed(number)
    }
    self.supervisor = supervisor
    self.leash = leash.writing
  }

  deinit { close(leash) }

  private static func start(
    _ arguments: [String], file: String, in folder: String, _ descriptors: [Int32], leash: Int32,
    started: Int32
  ) -> pid_t {
    let argumentPointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in argumentPointers { free(pointer) } }
    return argumentPointers.withUnsafeBufferPointer { argumentPointers in
      file.withCString { file in
        folder.withCString { folder in
          descriptors.withUnsafeBufferPointer { descriptors in
            var program = supervised_program(
              file: file, arguments: argumentPointers.baseAddress,
              environment: UnsafePointer(environ),
              folder: folder, descriptors: descriptors.baseAddress,
              descriptor_count: Int32(descriptors.count)
            )
            return start_supervised(&program, leash, started)
          }
        }
      }
    }
  }

  /// Waits until the program has started; returns the error number if it could not be.
  private static func number(from descriptor: Int32) -> Int32? {
    var number: Int32 = 0
    while true {
      let count = read(descriptor, &number, MemoryLayout<Int32>.size)
      if count < 0, errno == EINTR { continue }
      return count == MemoryLayout<Int32>.size ? number : nil
    }
  }

  /// Reaps the supervisor if the program has ended; nil while it runs.
  func exitIfEnded() -> ChildProcess.Exit? { supervisor.exitIfEnded() }

  /// Waits for the program to end by itself; nil if it still runs after `limit`.
  func exitWhenEnded(within limit: Duration) -> ChildProcess.Exit? {
    supervisor.exitWhenEnded(within: limit)
  }

  /// Asks the supervisor to end the program and its descendants. ``end()`` waits for that.
  func requestEnd() { _ = writeAll(leash, [UInt8(ascii: "q")]) }

  /// Ends the program and its descendants: by SIGTERM, and by SIGKILL after two seconds.
  ///
  /// Must be called at most once, and not after the supervisor was reaped.
  func end() {
    if exitIfEnded() != nil { return }
    requestEnd()
    if exitWhenEnded(within: Self.patience) == nil { supervisor.wait() }
  }

  /// The longest time that the supervisor needs: two seconds until SIGKILL, and two for the processes to die.
  private static let patience = Duration.seconds(5)
}
