// A terminal as a person sees it: tmux, an outside program, runs blerun and captures the screen.

import Fixtures
import Foundation
import Glibc

/// A terminal screen in which a command runs, closed with this object.
///
/// When the command has ended, the screen shows `status N`.
final class Screen {
  /// The deadline passed before the expected text appeared on the screen.
  struct NotShown: Error {
    let awaited: String
    let screen: [String]
  }

  private let folder: TemporaryFolder
  private let columns: Int

  /// Starts blerun.
  ///
  /// - Parameters:
  ///   - arguments: As the shell reads them.
  ///   - environment: What the command has beside the environment of the tests; without `NO_COLOR`.
  init(
    _ arguments: String, columns: Int = 80, rows: Int = 30, environment: [String: String] = [:]
  ) throws {
    folder = try TemporaryFolder()
    self.columns = columns
    let settings =
      ["-u NO_COLOR", "XDG_STATE_HOME=\(folder.path)"]
      + environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let command = "env \(settings.joined(separator: " ")) \(binaryPath) \(arguments)"
    try tmux(
      "new-session",
      "-d",
      "-x",
      "\(columns)",
      "-y",
      "\(rows)",
      "cd '\(projectFolder)'; \(command); echo \"status $?\"; exec cat"
    )
  }

  deinit { _ = try? tmux("kill-server") }

  @discardableResult
  private func tmux(_ arguments: String...) throws -> String {
    let ended = try RunningProgram(
      ["tmux", "-u", "-f", "/dev/null", "-S", folder.path + "/tmux"] + arguments, in: "/",
      limit: .seconds(300)
    ).end()
    guard ended.status == 0 else {
      throw NotShown(awaited: "tmux \(arguments)", screen: [ended.errors])
    }
    return ended.output
  }

  /// The lines that are not empty, with those that have scrolled away; a line that the terminal
  /// wrapped counts as several.
  ///
  /// - Parameter withColors: Whether they have the escape sequences of their colours.
  func lines(withColors: Bool = false) throws -> [String] {
    let colors = withColors ? "-e" : "-p"
    return try tmux("capture-pane", "-p", colors, "-S", "-").split(separator: "\n").map(String.init)
  }

  /// Waits until the screen is as expected; it may be at any moment, if only for a tenth of a second.
  ///
  /// - Returns: The lines at that time.
  @discardableResult
  func wait(
    for awaited: String, limit: Duration = .seconds(60), where isAwaited: ([String]) -> Bool
  ) throws -> [String] {
    let deadline = ContinuousClock.now + limit
    while true {
      let lines = try lines()
      if isAwaited(lines) { return lines }
      guard ContinuousClock.now < deadline else { throw NotShown(awaited: awaited, screen: lines) }
      // Each capture starts a process; the pause leaves time for others.
      poll(nil, 0, 100)
    }
  }

  /// Waits until a line contains a text.
  @discardableResult
  func wait(for text: String) throws -> [String] {
    try wait(for: text) { lines in lines.contains { $0.contains(text) } }
  }

  /// Waits until the last line matches a regular expression, and returns the lines. It fails when
  /// the command has ended.
  @discardableResult
  func wait(forLast pattern: Regex<Substring>) throws -> [String] {
    let lines = try wait(for: "the last line") { lines in
      lines.last?.contains(pattern) == true || Self.isOver(lines)
    }
    guard lines.last?.contains(pattern) == true else {
      throw NotShown(awaited: "the last line", screen: lines)
    }
    return lines
  }

  private static func isOver(_ lines: [String]) -> Bool { lines.last?.hasPrefix("status ") == true }

  /// Waits for the end of the command, and returns the lines.
  func end() throws -> [String] {
    try wait(for: "the end", where: Self.isOver)
  }

  /// Repeats a scene, at most twice, if a line was missed that appears only briefly:
  /// on a busy machine two captures may lie on either side of it.
  static func play(_ body: () throws -> Void) throws {
    for isLast in [false, false, true] {
      do {
        return try body()
      } catch let missed as NotShown {
        if isLast { throw missed }
      }
    }
  }

  /// Presses keys, by the names of tmux: `C-c`.
  func press(_ keys: String) throws { try tmux("send-keys", keys) }

  /// Types a text.
  func type(_ text: String) throws { try tmux("send-keys", "-l", text) }

  /// Changes the size of the terminal.
  func resize(columns: Int, rows: Int) throws {
    try tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// The lines on the screen that are not empty, without those that have scrolled away.
  func visible() throws -> [String] {
    try tmux("capture-pane", "-p").split(separator: "\n").map(String.init)
  }

  /// Sends a signal to the command.
  func send(_ signal: Int32) throws {
    let shell = try tmux("list-panes", "-F", "#{pane_pid}").split(separator: "\n")[0]
    let found = try RunningProgram(["pgrep", "-P", String(shell)], in: "/", limit: .seconds(300))
      .end()
    for process in found.lines { kill(Int32(process) ?? 0, signal) }
  }
}
