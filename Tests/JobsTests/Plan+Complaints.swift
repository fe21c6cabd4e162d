// What is said of a chain file that is wrong, for comparison.

import Documents

@testable import Jobs

extension Plan {
  /// What is said of a text, in the order of its file.
  static func complaints(
    _ text: String,
    file: String = "c",
    limits: PlanLimits = PlanLimits()
  ) -> [String] {
    do {
      _ = try Plan.parse(text, file: file, limits: limits)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  /// What is said of a step alone in its file, without the file's name.
  static func complaint(ofStep text: String) -> String {
    complaints("steps:\n- \(text)").map { String($0.dropFirst(2)) }.joined(separator: "\n")
  }
}
