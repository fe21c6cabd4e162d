// Child processes, with the signals and the environment that a shell would give them.

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

  /// A program that could not be started, with the reason.
  struct Failure: Error, Sendable, CustomStringConvertible {
    let program: String
    let errorNumber: Int32

    /// The status a shell would give: 127 for not found, 126 for found but not executable.
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
  ///   - folder: Its working directory; nil for that of this process.
  ///   - environment: Variables added to the environment of this process.
  ///   - inherited: Descriptors of this process that the child gets, each under another number.
  ///   - isApart: Whether the child leads a process group of its own, which Ctrl-C at the terminal does not reach.
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

  /// A child that was started by other means.
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

  /// Reaps the child if it has ended; nil while it runs.
  func exitIfEnded() -> Exit? {
    var status: Int32 = 0
    guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
    let signal = status & 0x7f
    return signal == 0 ? .status((status >> 8) & 0xff) : .signal(signal)
  }

  /// Sends a signal to the child.
  func send(_ number: Int32) { kill(identifier, number) }

  /// The time between SIGTERM and SIGKILL.
  private static let patience = Duration.seconds(2)

  /// Ends the child: by SIGTERM, and by SIGKILL after two seconds. Must not be called after it was reaped.
  func end() {
    send(SIGTERM)
    wait()
  }

  /// Waits for the child to end by itself; nil if it still runs after `limit`.
  func exitWhenEnded(within limit: Duration) -> Exit? {
    for _ in 0..<max(1, Int(limit / .milliseconds(10))) {
      if let exit = exitIfEnded() { return exit }
      poll(nil, 0, 10)
    }
    return nil
  }

  /// Waits for a child that was asked to end, and kills it after two seconds.
  func wait() {
    if exitWhenEnded(within: Self.patience) != nil { return }
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    waitpid(identifier, &status, 0)
  }
}

extension ChildProcess {
  /// Runs a program and returns the first line of its output; nil if it cannot be run, or prints nothing for
  /// ten seconds, more than a busy machine takes to start it.
  static func firstLine(of arguments: [String]) -> String? {
    guard let printed = try? Pipe() else { return nil }
    defer { printed.close() }
    let child = try? ChildProcess(arguments, inherited: [(ours: printed.writing, theirs: 1)])
    printed.closeWriting()
    guard let child else { return nil }
    defer { child.end() }
    return Program.firstLine(of: printed.reading, patience: .seconds(10))
  }
}

extension ChildProcess {
  /// Runs a command to its end, with the standard streams of this process, and forwards signals to it.
  ///
  /// The output of this process is written before the command starts.
  ///
  /// - Returns: The exit status of the command, or 128 + n if signal n ended it.
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
      // The terminal sends the signals of its keys to the command, too.
      case let signal where SystemSignal.keys.contains(signal): break
      // open: signals of the system
      default: running.withLock { $0 }?.send(signal.number)
      }
    }
    defer { signals.close() }
    StandardStreams.ofProcess.finish(patience: StandardOutput.patienceAfterSignal)
    // Under the lock: each signal either prevents the start, or is forwarded.
    let early = try running.withLock { running throws(ChildProcess.Failure) in
      let early = SystemSignals.arrived
      if early == nil { running = try ChildProcess(command, environment: environment) }
      return early
    }
    if let early { return 128 + early.number }
    // Its SIGCHLD may have come before `running` was set.
    loop.post(look)
    try loop.drive { status.withLock { $0 != nil } }
    return status.withLock { $0 } ?? 125
  }
}
