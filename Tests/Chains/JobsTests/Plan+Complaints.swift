// The errors in a chain file, for comparison.

import Documents

@testable import Jobs

extension Plan {
  /// The errors in a text, in the order of its file.
  static func complaints(
    _ text: String, file: String = "c", limits: PlanLimits = PlanLimits()
  ) -> [String] {
    do {
      _ = try Plan.parse(text, file: file, limits: limits)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }
}
