// Tests that start programs must not hold the threads of the others.

enum BlockingRules {
  /// What waits for a child process, and holds its thread meanwhile.
  private static let waiting = ["RunningProgram(", "blerun(", "PrivateDaemon(", "SimulatedHost("]

  /// The suites of a file that starts programs are `.blocking`.
  static func check(_ file: SourceFile) -> [Finding] {
    guard file.isInTests, !file.path.hasPrefix("Tests/Fixtures/") else { return [] }
    let lines = file.codeLines
    guard lines.contains(where: { line in waiting.contains { line.contains($0) } }) else {
      return []
    }
    return lines.enumerated().filter {
      $0.element.hasPrefix("@Suite(") && !$0.element.contains(".blocking")
    }.map {
      file.finding(line: $0.offset + 1, "a suite that waits for programs must be .blocking")
    }
  }
}
