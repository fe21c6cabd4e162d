// A program that does not outlive this process: that of a `command` step, or the logic of a device.
//
// A supervisor is its parent: see CProcess/supervisor.c. Programs that go on without this process, such as the guard
// of its connections, are a ``ChildProcess`` without one.

import CLinux
import CProcess
import Documents
import Glibc
import Signals

/// A program and all that it starts, in whatever group or session, until they have ended.
///
/// ``end()`` asks them to end. When this process is killed or leaves at once, they are killed.
final class SupervisedProgram: Sendable {
  private let supervisor: ChildProcess
  /// The pipe that the supervisor reads: closed when this process ends, whatever ends it.
  private let leash: Int32

  /// Starts a program in a group of its own, with default signals and an empty mask.
  ///
  /// - Parameters:
  ///   - arguments: The path of its file, and its arguments.
  ///   - file: The file to execute in place of the path; nil for the path.
  ///   - folder: The working directory of the program.
  ///   - descriptors: Those of this process that become 0, 1, 2 … of the program.
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

  /// Waits until the program has started; the error number where it could not be.
  private static func number(from descriptor: Int32) -> Int32? {
    var number: Int32 = 0
    while true {
      let count = read(descriptor, &number, MemoryLayout<Int32>.size)
      if count < 0, errno == EINTR { continue }
      return count == MemoryLayout<Int32>.size ? number : nil
    }
  }

  /// How the program has ended; nil while it runs.
  func exitIfEnded() -> ChildProcess.Exit? { supervisor.exitIfEnded() }

  /// How a program ends that does so by itself within a time; nil for one that does not.
  func exitWhenEnded(within limit: Duration) -> ChildProcess.Exit? {
    supervisor.exitWhenEnded(within: limit)
  }

  /// Ends the program and all that it started: by SIGTERM, and by SIGKILL after two seconds.
  ///
  /// To be called at most once, and only before the end was seen.
  func end() {
    _ = writeAll(leash, [UInt8(ascii: "q")])
    if exitWhenEnded(within: Self.patience) == nil { supervisor.wait() }
  }

  /// The longest time that the supervisor needs: two seconds until SIGKILL, and two until it gives up what
  /// cannot be killed.
  private static let patience = Duration.seconds(5)
}
