// The steps of a chain file: which step stands where, and what lies in it.
//
// What each kind of step takes is in StepReader+Kinds.swift.

import Documents

/// Reads steps in order, so that it is known what was captured before each.
struct StepReader {
  let limits: PlanLimits
  var problems: [DocumentProblem] = []
  var scope = Scope()

  var surroundings: IncludedSurroundings

  init(limits: PlanLimits, _ surroundings: IncludedSurroundings? = nil) {
    self.limits = limits
    self.surroundings = surroundings ?? IncludedSurroundings(inclusions: .none(limits))
  }

  /// The words for steps, in the order of complaints.
  static let verbs =
    [
      "read", "write", "notify", "exchange", "poll", "combine", "scan", "sleep", "repeat", "when",
      "try", "include",
      "connect",
      "disconnect", "rssi",
      "log", "pair", "unpair", "trust",
    ] + attributeVerbs

  /// Reads a list of steps that lies in `depth` others.
  mutating func steps(_ node: Node, depth: Int) -> [Step] {
    guard depth <= limits.depth else {
      complain(node, Complaint("more than \(limits.depth) steps lie in one another"))
      return []
    }
    guard let nodes = node.sequence else {
      complain(node, Complaint("\(node.shown) stands here", expected: "a list of steps"))
      return []
    }
    if nodes.isEmpty { complain(node, Complaint("there are no steps", expected: "at least one")) }
    surroundings.steps += nodes.count
    // Files that include one another multiply.
    guard surroundings.count == 0 || surroundings.steps <= limits.writtenSteps else {
      if surroundings.steps - nodes.count <= limits.writtenSteps {
        complain(node, Complaint("more steps than \(limits.writtenSteps) are written"))
      }
      return []
    }
    return nodes.flatMap { node in
      (node.entry("include") as Node?) != nil
        ? include(node, depth: depth) : step(node, depth: depth).map { [$0] } ?? []
    }
  }

  mutating func complain(_ node: Node, _ complaint: Complaint) {
    problems.append(complaint.about(node))
  }

  private mutating func step(_ node: Node, depth: Int) -> Step? {
    switch node.text {
    case "connect": return Step(.connect)
    case "disconnect": return Step(.disconnect)
    case "rssi": return Step(.rssi)
    case "pair": return Step(.pair(PairingRule()))
    case "unpair": return Step(.unpair)
    case "trust": return Step(.trust(true))
    case "mtu": return Step(.attribute(.mtu))
    case "connection-parameters": return Step(.attribute(.parameters))
    case "services": return Step(.attribute(.services))
    default: break
    }
    guard let entries = node.mapping, !entries.isEmpty else {
      let expected = "a step such as 'read: battery-level'"
      complain(node, Complaint("\(node.shown) stands here", expected: expected))
      return nil
    }
    var verbs = entries.map(\.key).filter { Self.verbs.contains($0) }
    // A scan is filtered by strength under the same word.
    if verbs.contains("scan") { verbs.removeAll { $0 == "rssi" } }
    guard let verb = verbs.first else {
      complainOfVerb(entries, in: node)
      return nil
    }
    guard verbs.count == 1 else {
      let message = "'\(verbs.joined(separator: "' and '"))' are steps of their own"
      complain(node, Complaint(message, expected: "one step in each entry of the list"))
      return nil
    }
    var reader = MappingReader(node)
    let step = step(verb, &reader, depth: depth)
    problems += reader.finish()
    if let step {
      if let name = step.capture { scope.capture(name, fields: step.fields) }
      if let place = (node.entry("as") as Node?),
        let complaint = step.capture.flatMap({ scope.complaint(aboutCapturing: $0) })
      {
        complain(place, complaint)
      }
    } else if let name = entries.first(where: { $0.key == "as" })?.value.text {
      scope.capture(name, fields: nil)
    }
    return step
  }

  /// No key of a step is a word for one: the one that is closest to a word is meant.
  private mutating func complainOfVerb(_ entries: [Node.Entry], in node: Node) {
    let close = entries.first { Complaint.nearest(to: $0.key, among: Self.verbs) != nil }
    guard let entry = close ?? entries.first else { return }
    let message = "there is no step '\(entry.key)'"
    let complaint = Complaint.unknown(message, entry.key, among: Self.verbs)
    problems.append(complaint.at(entry.keyPlace, path: node.path))
  }

  private mutating func step(
    _ verb: String,
    _ reader: inout MappingReader,
    depth: Int
  ) -> Step? {
    switch verb {
    case "read": read(&reader)
    case "write": write(&reader)
    case "notify": notify(&reader)
    case "exchange": exchange(&reader)
    case "poll": poll(&reader)
    case "combine": combine(&reader)
    case "rssi": measure(&reader)
    case "scan": scan(&reader)
    case "sleep": sleep(&reader)
    case "log": log(&reader)
    case "repeat": repeated(&reader, depth: depth)
    case "when": when(&reader, depth: depth)
    case "try": tried(&reader, depth: depth)
    case "connect": link(.connect, &reader)
    case "pair": pair(&reader)
    case "unpair": link(.unpair, &reader)
    case "trust": trust(&reader)
    case _ where Self.attributeVerbs.contains(verb): attribute(verb, &reader)
    default: link(.disconnect, &reader)
    }
  }
}

extension Node {
  /// What stands here, for complaints: its text in quotes, or its kind.
  var shown: String { text.map { "'\($0)'" } ?? kind }
}
