// A program started beside this one, with the signals and environment it would have from a shell.

import CLinux
import Glibc
import Signals

struct ChildProcess: Sendable {
  enum Exit: Equatable, Sendable {
    case status(Int32)
    case signal(Int32)

    /// The status a shell would give: 128 + n for signal n.
    var shellStatus: Int32 {
      switch self {
      case .status(let status): status
      case .signal(let number): 128 + number
      }
    }
  }

  let identifier: pid_t

  /// Why a program could not be started.
  struct Failure: Error, Sendable, CustomStringConvertible {
    let program: String
    let errorNumber: Int32

    /// The status a shell would give: 127 not found, 126 found but not to be run.
    var status: Int32 { errorNumber == ENOENT ? 127 : 126 }

    var description: String {
      let isThere = errorNumber == ENOENT && program.contains("/") && access(program, F_OK) == 0
      let reason =
        isThere
        ? "the interpreter that its first line names is missing"
        : errorNumber == ENOEXEC
          ? "it is no program, and has no first line such as #!/bin/sh"
          : String(cString: strerror(errorNumber))
      return "\(program) could not be started: \(reason)"
    }
  }

  /// Starts `arguments[0]`, found along PATH, with default signals and an empty mask.
  ///
  /// - Parameters:
  ///   - folder: Where it begins; nil for the working directory of this program.
  ///   - environment: What is set on top of this program's environment.
  ///   - inherited: Descriptors of ours that the child gets, under its numbers for them.
  ///   - isApart: Whether what a terminal sends to this program does not reach the child.
  init(
    _ arguments: [String], in folder: String? = nil,
    environment: [(name: String, value: String)] = [],
    inherited: [(ours: Int32, theirs: Int32)] = [], isApart: Bool = false
  ) throws(Failure) {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    let endings = SystemSignal.endings.map(\.number)
    for number in SystemSignals.ignored + endings + [SIGCHLD] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
        | (isApart ? Int16(POSIX_SPAWN_SETPGROUP) : 0)
    )
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }
    for descriptor in inherited {
      posix_spawn_file_actions_adddup2(&actions, descriptor.ours, descriptor.theirs)
    }
    var argumentPointers = arguments.map { strdup($0) } + [nil]
    var environmentPointers = Self.merged(environment).map { strdup($0) } + [nil]
    defer {
      for pointer in argumentPointers + environmentPointers { free(pointer) }
    }
    var identifier = pid_t()
    let number = posix_spawnp(
      &identifier,
      arguments[0],
      &actions,
      &attributes,
      &argumentPointers,
      &environmentPointers
    )
    guard number == 0 else { throw Failure(program: arguments[0], errorNumber: number) }
    self.identifier = identifier
  }

  /// A child that was started in another way.
  init(identifier: pid_t) { self.identifier = identifier }

  private static func merged(_ added: [(name: String, value: String)]) -> [String] {
    var result: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let line = String(cString: text)
      if !added.contains(where: { line.hasPrefix("\($0.name)=") }) { result.append(line) }
      entry += 1
    }
    return result + added.map { "\($0.name)=\($0.value)" }
  }

  /// How the child has ended; nil while it runs.
  func exitIfEnded() -> Exit? {
    var status: Int32 = 0
    guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
    let signal = status & 0x7f
    return signal == 0 ? .status((status >> 8) & 0xff) : .signal(signal)
  }

  /// Sends a signal to the child.
  func send(_ number: Int32) { kill(identifier, number) }

  /// How long a child has to end once it was asked to.
  private static let patience = Duration.seconds(2)

  /// Ends the child: by SIGTERM, and by SIGKILL after two seconds. To be called before its end was seen.
  func end() {
    send(SIGTERM)
    wait()
  }

  /// How a child ends that does so by itself within a time; nil for one that does not.
  func exitWhenEnded(within limit: Duration) -> Exit? {
    for _ in 0..<max(1, Int(limit / .milliseconds(10))) {
      if let exit = exitIfEnded() { return exit }
      poll(nil, 0, 10)
    }
    return nil
  }

  /// Waits for the end of a child that was asked to end; by force when it has not gone within two
  /// seconds.
  func wait() {
    if exitWhenEnded(within: Self.patience) != nil { return }
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    waitpid(identifier, &status, 0)
  }
}

extension ChildProcess {
  /// The first line that a program prints; nil when it cannot be run or prints nothing within two
  /// seconds.
  static func firstLine(of arguments: [String]) -> String? {
    guard let printed = try? Pipe() else { return nil }
    defer { printed.close() }
    let child = try? ChildProcess(arguments, inherited: [(ours: printed.writing, theirs: 1)])
    printed.closeWriting()
    guard let child else { return nil }
    defer { child.end() }
    return Program.firstLine(of: printed.reading, patience: .seconds(2))
  }
}

extension ChildProcess {
  /// Runs a command to its end. It prints to the same places as this program, whose output is written
  /// before it begins, and gets the signals that this program gets.
  ///
  /// - Returns: The exit status: the command's own, or 128 + n when signal n ended it.
  static func run(
    _ command: [String], environment: [(name: String, value: String)] = [], on loop: EventLoop
  ) throws -> Int32 {
    let status = Guarded<Int32?>(nil)
    let running = Guarded<ChildProcess?>(nil)
    let look: @Sendable () -> Void = {
      guard let child = running.withLock({ $0 }), status.withLock({ $0 == nil }) else { return }
      if let exit = child.exitIfEnded() { status.withLock { $0 = exit.shellStatus } }
    }
    let signals = SystemSignals { signal in
      switch signal {
      case .childEnded: loop.post(look)
      // What a terminal sends for its keys reaches the command by itself.
      case let signal where SystemSignal.keys.contains(signal): break
      // open: signals of the system
      default: running.withLock { $0 }?.send(signal.number)
      }
    }
    defer { signals.close() }
    StandardStreams.ofProcess.finish(patience: StandardOutput.patienceAfterSignal)
    // A signal reaches the command, or comes before it begins.
    let early = try running.withLock { running throws(ChildProcess.Failure) in
      let early = SystemSignals.arrived
      if early == nil { running = try ChildProcess(command, environment: environment) }
      return early
    }
    if let early { return 128 + early.number }
    // It may have ended before anybody looked.
    loop.post(look)
    try loop.drive { status.withLock { $0 != nil } }
    return status.withLock { $0 } ?? 125
  }
}
