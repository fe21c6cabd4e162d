// Data goes to standard output, everything else to standard error.
//
// The only file of the package that names the two. OutputWriter writes to them.

import Bluetooth
import Documents
import Glibc
import Jobs
import Signals

extension OutputWriter {
  /// The writer of standard output and standard error.
  static let ofProcess = OutputWriter()
}

/// Standard output, until a write fails.
package final class StandardOutput: Sendable {
  /// The side that waits for the other one.
  enum Pace: Sendable {
    /// The program waits for the reader: it has nothing else to do, or runs in virtual time.
    case ofReader
    /// The program never waits for the reader before the end.
    case ofEvents
  }

  /// The longest time without progress of the reader, at the end of the program.
  static let patience = Duration.seconds(2)
  /// The longest time without progress of the reader, after a signal.
  static let patienceAfterSignal = Duration.seconds(1)

  private let pace: Pace
  private let descriptor: Int32
  private let writer: OutputWriter
  private let isColored: Bool
  private let onFailure: OutputWriter.FailureHandler

  /// - Parameter onFailure: Called once, on any thread, when a write fails during the lifetime of this object.
  init(
    _ pace: Pace, to descriptor: Int32 = STDOUT_FILENO, through writer: OutputWriter = .ofProcess,
    onFailure: @escaping OutputWriter.FailureHandler = { _ in }
  ) {
    self.pace = pace
    self.descriptor = descriptor
    self.writer = writer
    isColored = StandardStreams.ofProcess.isColored(descriptor)
    self.onFailure = onFailure
    writer.onFailure(of: descriptor) { [weak self] in self?.onFailure($0) }
  }

  /// Output for the results of a command, at the pace of the reader.
  package convenience init() { self.init(.ofReader) }

  /// Output for the events of a world. A failed write cancels the work on the scheduler of the world.
  ///
  /// - Parameter onFailure: Called in place of that cancellation.
  convenience init(in world: World, onFailure: (@Sendable (RunFailure) -> Void)? = nil) {
    self.init(world.loop.isVirtual ? .ofReader : .ofEvents) { cause in
      let failure = RunFailure(cause)
      world.loop.post { onFailure?(failure) ?? world.scheduler.cancelAll(failure) }
    }
  }

  /// Writes the complete output of a command, and waits for the end.
  static func show(_ lines: some Sequence<String>) throws(CommandExit) {
    let output = StandardOutput()
    for line in lines { output.line(line) }
    try output.end()
  }

  // MARK: Printing

  /// A line, and its tone for the colour.
  typealias Line = (text: String, tone: Tone?)

  /// Writes a line. After a failure it does nothing.
  package func line(_ text: String) { _ = put { [(text, nil)] } }

  func lines(_ text: String) {
    _ = write { [.text(PrintableText(lines: text)), .lineEnd] }
  }

  /// Writes lines as one text: see ``OutputWriter/put(isDroppable:to:_:)``. At the pace of the reader, nothing is
  /// dropped.
  func put(isDroppable: Bool = false, _ lines: () -> [Line]) -> Bool {
    write(isDroppable: isDroppable && pace == .ofEvents) {
      lines().flatMap { Written.line($0.text, in: isColored ? $0.tone : nil) }
    }
  }

  private func write(isDroppable: Bool = false, _ parts: () -> [Written]) -> Bool {
    let isPut = writer.put(isDroppable: isDroppable, to: descriptor, parts)
    if pace == .ofReader { wait(until: { $0.hasRoom }) { Self.afterSignal } }
    return isPut
  }

  private func wait(until condition: (OutputQueue) -> Bool, patience: () -> Duration?) {
    let isDone = writer.wait(for: descriptor, until: condition, patience: patience)
    if !isDone { writer.fail(descriptor, .notRead) }
  }

  // MARK: The end

  /// The failure of standard output; nil without one.
  var failure: OutputFailure? { writer.failure(of: descriptor) }

  var dropped: OutputQueue.Dropped { writer.dropped(of: descriptor) }

  /// Waits until everything is written: without a limit at the pace of the reader, otherwise until
  /// the reader has read nothing for some time. A signal shortens both waits.
  ///
  /// - Returns: The failure if not everything was written.
  func finish() -> OutputFailure? {
    wait(until: { $0.isEmpty }) {
      Self.afterSignal ?? (pace == .ofReader ? nil : Self.patience)
    }
    return failure
  }

  private static var afterSignal: Duration? {
    SystemSignals.arrived == nil ? nil : patienceAfterSignal
  }

  /// Waits until everything is written, at the end of a command.
  ///
  /// - Throws: ``CommandExit`` for a signal; otherwise for a failed write; otherwise for the error of
  ///   the command.
  package func end(in world: World? = nil, after error: (any Error)? = nil) throws(CommandExit) {
    let unprinted = finish()
    try world?.interruption.check()
    if let unprinted { throw CommandExit(.output, "\(unprinted)") }
    if let error { throw CommandExit(RunFailure(error)) }
  }

  /// Whether standard output or standard error goes to a file.
  static func isPrinted(to file: stat) -> Bool {
    [STDOUT_FILENO, STDERR_FILENO].contains { isSame(file, as: $0) }
  }

  fileprivate static func isSame(_ file: stat, as descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_dev == file.st_dev
      && status.st_ino == file.st_ino
  }
}

extension RunFailure {
  /// The failure of a run whose output could not be written.
  fileprivate init(_ cause: OutputFailure.Cause) {
    self.init(
      code: .interrupted, class: .definite, what: "writing the output", why: cause.description
    )
  }
}

/// Standard error: messages for people, never data.
package enum StandardError {
  /// Writes the reason of a failure, without passkeys. A failed write is ignored.
  package static func failure(_ text: String) {
    let isColored = StandardStreams.ofProcess.isColored(STDERR_FILENO)
    write(
      Written.parts(PrintableText(line: "blerun:"), in: isColored ? .bad : nil)
        + Written.line(" \(text.withoutPasskeys)")
    )
  }

  /// Writes a problem, and below it the quoted line of the file.
  static func failure(_ problem: Problem) {
    failure("\(problem)")
    for line in LineExcerpt(problem)?.lines ?? [] { write(Written.line("  \(line)")) }
  }

  /// Writes a message that is not about a failure. Left out with `--quiet`.
  package static func notice(_ text: String) {
    guard !StandardStreams.ofProcess.presentation.isQuiet else { return }
    write(Written.line("blerun: \(text)"))
  }

  /// The maximum length of a line about the bus, in characters.
  private static let trafficLimit = 1000

  /// Writes a message to or from BlueZ, with the time of the loop.
  static func traffic(_ message: BlueZMessage, at now: Instant) {
    let line = message.text
    let rest = line.dropFirst(trafficLimit).isEmpty ? "" : "…"
    notice("\(TextReport.milliseconds(now.sinceStart)) \(line.prefix(trafficLimit))\(rest)")
  }

  static func lines(_ text: String) { write([.text(PrintableText(lines: text)), .lineEnd]) }

  /// Never waits for the reader.
  private static func write(_ parts: [Written]) {
    _ = OutputWriter.ofProcess.put(to: descriptor) { parts }
  }

  /// The descriptor for messages. If both streams are one pipe or terminal, they share a queue: lines keep their
  /// order, and the status line stays below them.
  static let descriptor: Int32 = isSharedWithOutput ? STDOUT_FILENO : STDERR_FILENO

  fileprivate static let isSharedWithOutput: Bool = {
    var output = stat()
    return fstat(STDOUT_FILENO, &output) == 0 && output.st_mode & S_IFMT != S_IFREG
      && StandardOutput.isSame(output, as: STDERR_FILENO)
  }()
}

/// The presentation of both streams, and the state of the terminal.
final class StandardStreams: Sendable {
  static let ofProcess = StandardStreams()

  private struct State {
    var presentation = Presentation()
    /// A question is shown at the terminal, and the status line is hidden.
    var isAsking = false
    /// The changed modes of the terminal, which must be restored.
    var mode: TerminalMode?
  }

  private let state = Guarded(State())

  // MARK: Presentation

  var presentation: Presentation {
    get { state.withLock { $0.presentation } }
    set { state.withLock { $0.presentation = newValue } }
  }

  /// Whether text for people is coloured on a descriptor.
  func isColored(_ descriptor: Int32) -> Bool {
    presentation.isColored(onTerminal: isatty(descriptor) == 1, RuntimeFolder.variable)
  }

  // MARK: The bottom line

  /// Whether a status line is wanted, and the terminal can keep it apart from other lines.
  ///
  /// - Parameter printsData: Whether standard output gets data for programs during the run.
  func hasStatusLine(printsData: Bool) -> Bool {
    guard !presentation.isQuiet, isatty(STDERR_FILENO) == 1,
      Presentation.isAble(RuntimeFolder.variable)
    else { return false }
    guard isatty(STDOUT_FILENO) == 1 else { return true }
    return !printsData && StandardError.isSharedWithOutput
  }

  /// The room for the status lines. The last column stays free, because some terminals wrap there.
  var terminalSize: PlotSize {
    guard let size = Self.size(of: STDERR_FILENO), size.ws_col > 1 else {
      return PlotSize(columns: 79, rows: 24)
    }
    return PlotSize(columns: Int(size.ws_col) - 1, rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  /// The columns of the terminal on standard output; nil if it is no terminal.
  static var columns: Int? { size(of: STDOUT_FILENO).map { Int($0.ws_col) } }

  private static func size(of descriptor: Int32) -> winsize? {
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? size : nil
  }

  var printsToTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Redraws the status lines; an empty list removes them.
  func show(_ lines: [String], isResized: Bool = false) {
    let isAsking = state.withLock { $0.isAsking }
    let text = isAsking ? "" : lines.map(\.printable).joined(separator: "\n")
    OutputWriter.ofProcess.show(
      PrintableText(lines: text), on: StandardError.descriptor, isResized: isResized
    )
  }

  /// Registers terminal modes to restore at the end of the process.
  func restores(_ mode: TerminalMode) { state.withLock { $0.mode = mode } }

  /// Hides the status line during a question, and allows it again.
  func asks(_ isAsking: Bool) {
    state.withLock { $0.isAsking = isAsking }
    if isAsking { show([]) }
  }

  // MARK: The end

  /// Removes the status line, restores the terminal, and waits until everything is written, or a reader has taken
  /// nothing for `patience`.
  func finish(patience: Duration) {
    show([])
    state.withLock { $0.mode }?.end()
    OutputWriter.ofProcess.flush(patience: patience)
  }
}
