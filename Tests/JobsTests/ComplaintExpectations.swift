// Expectations about invalid steps.

import Documents
import Jobs
import Testing

/// Expects that a step of a file is refused in its line, in words with `part` among them.
func expectComplaint(ofStep step: String, _ part: String) {
  do {
    _ = try Plan.parse("steps:\n  - \(step)\n", file: "chain.yaml")
    Issue.record("\(step) was taken")
  } catch {
    let text = error.problems.map(\.description).joined()
    #expect(text.hasPrefix("chain.yaml:2:"), "\(text)")
    #expect(text.contains(part), "\(text)")
  }
}

/// Expects that a line of steps is refused at `place`, in words with `part` among them.
func expectComplaint(ofLine line: String, _ place: String, _ part: String) {
  do {
    _ = try Plan.parse(line: line)
    Issue.record("\(line) was taken")
  } catch {
    let text = error.problems.map(\.description).joined()
    #expect(text.contains(place), "\(text)")
    #expect(text.contains(part), "\(text)")
  }
}
