// Data to standard output, everything else to standard error.
//
// The only file of the package that names them. OutputWriter writes.

import Bluetooth
import Documents
import Glibc
import Jobs
import Signals

extension OutputWriter {
  /// Who writes to standard output and standard error.
  static let ofProcess = OutputWriter()
}

/// Standard output, until its reader goes away.
package final class StandardOutput: Sendable {
  /// Who waits for whom.
  enum Pace: Sendable {
    /// The program waits for the reader: it has nothing else to do, or its time is virtual.
    case ofReader
    /// The program never waits for the reader before the end.
    case ofEvents
  }

  /// For how long a reader may have taken nothing when all is done.
  static let patience = Duration.seconds(2)
  /// The same when a signal has asked the program to end.
  static let patienceAfterSignal = Duration.seconds(1)

  private let pace: Pace
  private let descriptor: Int32
  private let writer: OutputWriter
  private let isColored: Bool
  private let onFailure: OutputWriter.FailureHandler

  /// - Parameter onFailure: Called once, on any thread, when a write has failed, as long as this is there.
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

  /// The results of a command, at the pace of their reader.
  package convenience init() { self.init(.ofReader) }

  /// Prints what happens in a world, and ends what is done there when nobody receives it.
  ///
  /// - Parameter onFailure: Ends something else than what the scheduler of the world does.
  convenience init(in world: World, onFailure: (@Sendable (RunFailure) -> Void)? = nil) {
    self.init(world.loop.isVirtual ? .ofReader : .ofEvents) { cause in
      let failure = RunFailure(cause)
      world.loop.post { onFailure?(failure) ?? world.scheduler.cancelAll(failure) }
    }
  }

  /// Writes lines, which are all that a command prints.
  static func show(_ lines: some Sequence<String>) throws(Ending) {
    let output = StandardOutput()
    for line in lines { output.line(line) }
    try output.end()
  }

  // MARK: Printing

  /// A line, and its colour where there are colours.
  typealias Line = (text: String, tone: Tone?)

  /// Writes a line. After a failure it does nothing.
  package func line(_ text: String) { _ = put { [(text, nil)] } }

  func lines(_ text: String) {
    _ = write { [.text(PrintableText(lines: text)), .lineEnd] }
  }

  /// Writes lines that belong together: see ``OutputWriter/put(isDroppable:to:_:)``. Where the program
  /// waits for the reader, nothing is dropped.
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

  /// Why nothing can be written any more.
  var failure: OutputFailure? { writer.failure(of: descriptor) }

  var dropped: OutputQueue.Dropped { writer.dropped(of: descriptor) }

  /// Waits until everything is written: for ever at the pace of the reader, else unless it has taken
  /// nothing for some time. A signal shortens both.
  ///
  /// - Returns: Why not everything was.
  func finish() -> OutputFailure? {
    wait(until: { $0.isEmpty }) {
      Self.afterSignal ?? (pace == .ofReader ? nil : Self.patience)
    }
    return failure
  }

  private static var afterSignal: Duration? {
    SystemSignals.arrived == nil ? nil : patienceAfterSignal
  }

  /// Waits until everything is written, where a command is over.
  ///
  /// - Throws: ``Ending``: of a signal, else of the output, else of the command.
  package func end(in world: World? = nil, after error: (any Error)? = nil) throws(Ending) {
    let unprinted = finish()
    try world?.interruption.check()
    if let unprinted { throw Ending(.output, "\(unprinted)") }
    if let error { throw Ending(RunFailure(error)) }
  }

  /// Whether a file is what standard output or standard error goes to.
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
  /// Nobody receives the results of the run.
  fileprivate init(_ cause: OutputFailure.Cause) {
    self.init(
      code: .interrupted, class: .definite, what: "running the chain", why: cause.description
    )
  }
}

/// Standard error: what a person should know, never data.
package enum StandardError {
  /// Writes why something failed, without passkeys; a failure to write it is nobody's business.
  package static func failure(_ text: String) {
    let isColored = StandardStreams.ofProcess.isColored(STDERR_FILENO)
    write(
      Written.parts(PrintableText(line: "blerun:"), in: isColored ? .bad : nil)
        + Written.line(" \(text.withoutPasskeys)")
    )
  }

  /// Writes what is wrong, and below it the line that it is about.
  static func failure(_ problem: Problem) {
    failure("\(problem)")
    for line in LineExcerpt(problem)?.lines ?? [] { write(Written.line("  \(line)")) }
  }

  /// Writes what is worth knowing and no failure. Not with `--quiet`.
  package static func notice(_ text: String) {
    guard !StandardStreams.ofProcess.presentation.isQuiet else { return }
    write(Written.line("blerun: \(text)"))
  }

  /// How long a line about the bus may be, in characters.
  private static let trafficLimit = 1000

  /// Writes what BlueZ was asked or answered, with the loop's time.
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

  /// Where it is the same pipe or terminal as standard output, both have one queue: lines keep their
  /// order, and the bottom lines of the terminal are below all.
  static let descriptor: Int32 = isSharedWithOutput ? STDOUT_FILENO : STDERR_FILENO

  fileprivate static let isSharedWithOutput: Bool = {
    var output = stat()
    return fstat(STDOUT_FILENO, &output) == 0 && output.st_mode & S_IFMT != S_IFREG
      && StandardOutput.isSame(output, as: STDERR_FILENO)
  }()
}

/// What the user wants to see on standard output and standard error, and the terminal that they are.
final class StandardStreams: Sendable {
  static let ofProcess = StandardStreams()

  private struct State {
    var presentation = Presentation()
    /// Somebody is asked at the terminal: the bottom line stays away.
    var isAsking = false
    /// What changed the modes of the terminal, and restores them.
    var mode: TerminalMode?
  }

  private let state = Guarded(State())

  // MARK: What the user wants to see

  var presentation: Presentation {
    get { state.withLock { $0.presentation } }
    set { state.withLock { $0.presentation = newValue } }
  }

  /// Whether text for people is coloured there.
  func isColored(_ descriptor: Int32) -> Bool {
    presentation.isColored(onTerminal: isatty(descriptor) == 1, RuntimeFolder.variable)
  }

  // MARK: The bottom line

  /// Whether a line at the bottom of the terminal is wanted, and can be kept apart from all others.
  ///
  /// - Parameter printsData: Whether standard output gets data for programs as things happen.
  func hasStatusLine(printsData: Bool) -> Bool {
    guard !presentation.isQuiet, isatty(STDERR_FILENO) == 1,
      Presentation.isAble(RuntimeFolder.variable)
    else { return false }
    guard isatty(STDOUT_FILENO) == 1 else { return true }
    return !printsData && StandardError.isSharedWithOutput
  }

  /// The room for the bottom lines: the last column stays free, so that no terminal wraps them.
  var terminalSize: PlotSize {
    guard let size = Self.size(of: STDERR_FILENO), size.ws_col > 1 else {
      return PlotSize(columns: 79, rows: 24)
    }
    return PlotSize(columns: Int(size.ws_col) - 1, rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  /// The columns of the terminal that standard output is; nil for anything else.
  static var columns: Int? { size(of: STDOUT_FILENO).map { Int($0.ws_col) } }

  private static func size(of descriptor: Int32) -> winsize? {
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? size : nil
  }

  var printsToTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes the bottom lines anew; none for none.
  func show(_ lines: [String], isResized: Bool = false) {
    let isAsking = state.withLock { $0.isAsking }
    let text = isAsking ? "" : lines.map(\.printable).joined(separator: "\n")
    OutputWriter.ofProcess.show(
      PrintableText(lines: text), on: StandardError.descriptor, isResized: isResized
    )
  }

  /// Has the modes of the terminal restored at the end of the process, whatever ends it.
  func restores(_ mode: TerminalMode) { state.withLock { $0.mode = mode } }

  /// Somebody is asked at the terminal from now on, or not any more.
  func asks(_ isAsking: Bool) {
    state.withLock { $0.isAsking = isAsking }
    if isAsking { show([]) }
  }

  // MARK: The end

  /// Removes the bottom line, and waits until what was printed is written, as long as each reader may
  /// take nothing.
  func finish(patience: Duration) {
    show([])
    state.withLock { $0.mode }?.end()
    OutputWriter.ofProcess.flush(patience: patience)
  }
}
