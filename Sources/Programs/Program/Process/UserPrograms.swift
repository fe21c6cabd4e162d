// The programs of `command` steps: finds, checks, runs and ends them.
//
// In virtual time, the loop blocks while a program runs; in real time, a thread waits for it.

import Documents
import Glibc
import Jobs
import Signals

/// Runs the programs of `command` steps.
struct UserPrograms: Sendable {
  private let loop: Loop

  init(on loop: Loop) {
    self.loop = loop
  }

  // MARK: Before a run

  /// Finds the programs of plans, before the run begins.
  ///
  /// - Throws: ``CommandExit`` with each program that is missing or not allowed.
  static func check(_ plans: [Plan]) throws(CommandExit) {
    var looked: Set<String> = []
    var problems: [Problem] = []
    for plan in plans {
      for (command, step) in plan.commands {
        let place = step.source.map { "\($0)" } ?? ""
        guard looked.insert("\(place): \(command.program)").inserted else { continue }
        do throws(CommandStep.Failure) {
          _ = try find(command.program, named: step.sourceFile, plan.allowedCommands)
        } catch {
          problems.append(Problem("\(error.why) (\(error.hint))", at: step.source))
        }
      }
    }
    if !problems.isEmpty { throw CommandExit(.data, problems) }
  }

  /// Finds a program, and checks that it is allowed.
  ///
  /// - Throws: The reason if it is missing, unreadable or not allowed.
  private static func find(
    _ program: String, named file: String?, _ allowed: AllowedCommands
  ) throws(CommandStep.Failure) -> AllowedProgram {
    let folder = file.flatMap { FolderOfFile($0).path } ?? "."
    let path: String
    do throws(Problem) {
      path = try ProgramFile.path(of: program, in: folder)
    } catch {
      throw CommandStep.Failure(error.message, hint: "give the path of an executable file")
    }
    switch allowed {
    case .all: return AllowedProgram(path: path, folder: folder, content: nil)
    case .none:
      throw CommandStep.Failure(
        "the chain runs the program \(program), which is not allowed",
        hint: "look at it, and allow it with --allow-commands"
      )
    case .digests(let digests):
      let content: [UInt8]
      do throws(DocumentErrors) {
        content = try TextFile.octets(path, limit: mostOctets)
      } catch {
        throw CommandStep.Failure("\(path) cannot be read", hint: "give its reader the permission")
      }
      let digest = ContentHash.digest(of: content)
      guard digests.contains(digest) else {
        throw CommandStep.Failure(
          "the chain runs the program \(path), which is not allowed",
          hint: "look at it, and allow it with --allow-command \(digest)"
        )
      }
      return AllowedProgram(path: path, folder: folder, content: content)
    }
  }

  /// The maximum size of a program with a digest, in bytes.
  private static let mostOctets = 256 << 20

  // MARK: A run

  /// Runs a program, and returns its standard output.
  @Sendable func run(_ call: CommandStep.Call) async throws -> [UInt8] {
    let allowed = try Self.find(call.program, named: call.file, call.allowed)
    if call.arguments.contains(where: { $0.utf8.contains(0) }) {
      throw CommandStep.Failure("an argument has a NUL", hint: "give it as 'input', or as hex")
    }
    let isCancelled = Guarded(false)
    // In virtual time the loop is blocked and cannot cancel the task, so this function looks for signals itself. An
    // earlier signal does not prevent a clean-up step from running programs.
    let looksForSignals = loop.isVirtual && SystemSignals.arrived == nil
    let running: @Sendable () throws(CommandStep.Failure) -> [UInt8] = {
      () throws(CommandStep.Failure) in
      let program = try RunningProgram(allowed, call.arguments)
      return try program.run(on: call.input, within: call.limit) {
        isCancelled.withLock { $0 } || looksForSignals && SystemSignals.arrived != nil
      }
    }
    if loop.isVirtual {
      let printed = Result { () throws(CommandStep.Failure) in try running() }
      // Lets a signal that arrived meanwhile cancel the task: it is then the reason.
      await Task.yield()
      try Task.checkCancellation()
      return try printed.get()
    }
    do {
      // A cancellation ends the program, and with it this wait.
      return try await withTaskCancellationHandler {
        try await shielded(on: loop, limit: call.limit + .seconds(5)) { [loop] in
          try await wait(on: loop, operation: "running \(call.program)") { done in
            let number = startThread("command") {
              do throws(CommandStep.Failure) {
                done.succeed(try running())
              } catch {
                done.fail(error)
              }
            }
            guard number == 0 else {
              let reason = String(cString: strerror(number))
              throw CommandStep.Failure("no thread could be started: \(reason)")
            }
          }
        }
      } onCancel: {
        isCancelled.withLock { $0 = true }
      }
    } catch {
      try Task.checkCancellation()
      throw error
    }
  }
}

/// A program that was found and is allowed.
private struct AllowedProgram: Sendable {
  let path: String
  /// The folder of the chain file: the working directory of the program.
  let folder: String
  /// The content whose digest was checked, which is executed in place of the file; nil if no digest is
  /// required.
  let content: [UInt8]?
}

/// A running program, with pipes for its three streams.
private final class RunningProgram {
  private let child: SupervisedProgram
  private let input: Pipe
  private let output: Pipe
  private let errors: Pipe
  private var printed: [UInt8] = []
  /// The end of standard error.
  private var errorText: [UInt8] = []

  init(_ program: AllowedProgram, _ arguments: [String]) throws(CommandStep.Failure) {
    let copy: ExecutableCopy?
    do throws(Problem) {
      copy = if let content = program.content { try ExecutableCopy(content) } else { nil }
    } catch {
      throw CommandStep.Failure("\(error)")
    }
    var made: [Pipe] = []
    do throws(Problem) {
      while made.count < 3 { made.append(try Pipe()) }
    } catch {
      for pipe in made { pipe.close() }
      throw CommandStep.Failure("\(error)")
    }
    (input, output, errors) = (made[0], made[1], made[2])
    do throws(ChildProcess.Failure) {
      let streams = [input.reading, output.writing, errors.writing]
      child = try SupervisedProgram(
        [program.path] + arguments, file: copy.map { _ in "/proc/self/fd/\(streams.count)" },
        in: program.folder, descriptors: streams + (copy.map { [$0.descriptor] } ?? [])
      )
    } catch {
      for pipe in [input, output, errors] { pipe.close() }
      throw CommandStep.Failure("\(error)")
    }
    input.closeReading()
    output.closeWriting()
    errors.closeWriting()
    for end in [input.writing, output.reading, errors.reading] {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    for pipe in [input, output, errors] { pipe.close() }
  }

  /// The longest wait between two checks for a cancellation or a signal.
  private static let look = Duration.milliseconds(50)

  /// Writes the input of the program, and reads its output until it has ended.
  ///
  /// - Throws: The reason if the program failed or was ended.
  func run(
    on octets: [UInt8], within limit: Duration, unless isOver: () -> Bool
  ) throws(CommandStep.Failure) -> [UInt8] {
    var rest = octets[...]
    let end = EventLoop.time(CLOCK_MONOTONIC) + limit
    while true {
      write(&rest)
      read(output, into: &printed)
      read(errors, into: &errorText)
      errorText.removeFirst(max(0, errorText.count - 4_096))
      if printed.count > CommandStep.longestOutput {
        child.end()
        throw failure("it printed more than \(CommandStep.longestOutput) bytes")
      }
      if let exit = child.exitIfEnded() {
        // Reads the rest in the pipes. Its background processes may still write there: that is discarded.
        read(output, into: &printed)
        read(errors, into: &errorText)
        return try result(exit)
      }
      let left = end - EventLoop.time(CLOCK_MONOTONIC)
      guard left > .zero else {
        child.end()
        throw failure(CommandStep.Failure.late(limit))
      }
      guard !isOver() else {
        child.end()
        throw failure("it was cancelled")
      }
      pause(min(left, Self.look), hasInput: !rest.isEmpty)
    }
  }

  private func result(_ exit: ChildProcess.Exit) throws(CommandStep.Failure) -> [UInt8] {
    switch exit {
    case .status(0): break
    case .status(let status): throw failure("it ended with status \(status)")
    case .signal(let number): throw failure("signal \(number) ended it")
    }
    guard printed.count <= CommandStep.longestOutput else {
      throw failure("it printed more than \(CommandStep.longestOutput) bytes")
    }
    return printed
  }

  /// The failure, with the last lines of standard error.
  private func failure(_ why: String) -> CommandStep.Failure {
    let text = String(decoding: errorText, as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).suffix(5).joined(separator: "; ")
    return CommandStep.Failure(lines.isEmpty ? why : "\(why): \(lines)")
  }

  private func write(_ rest: inout ArraySlice<UInt8>) {
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(input.writing, $0.baseAddress, $0.count) }
      guard count > 0 else {
        // The program closed its input.
        if errno != EAGAIN && errno != EINTR { rest = [] }
        break
      }
      rest = rest.dropFirst(count)
    }
    if rest.isEmpty { input.closeWriting() }
  }

  private func read(_ pipe: Pipe, into octets: inout [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while pipe.reading >= 0, octets.count <= CommandStep.longestOutput {
      let count = Glibc.read(pipe.reading, &buffer, buffer.count)
      if count > 0 {
        octets += buffer[..<count]
      } else {
        if count == 0 { pipe.closeReading() }
        return
      }
    }
  }

  /// Waits until a pipe is ready. Shortly if both outputs are closed: the program is then about to end.
  private func pause(_ longest: Duration, hasInput: Bool) {
    var polled: [pollfd] = []
    if hasInput { polled.append(pollfd(fd: input.writing, events: Int16(POLLOUT), revents: 0)) }
    for pipe in [output, errors] where pipe.reading >= 0 {
      polled.append(pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0))
    }
    let isEnding = output.reading < 0 && errors.reading < 0
    let milliseconds = isEnding ? 5 : Int32(clamping: Int64(longest / .milliseconds(1)) + 1)
    _ = poll(&polled, nfds_t(polled.count), milliseconds)
  }
}
