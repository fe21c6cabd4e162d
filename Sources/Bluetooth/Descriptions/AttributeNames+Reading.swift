// Names and descriptions of values in files: from nodes of documents, and back to places in them.

package import Bluetooth
package import Documents

extension AttributeNames {
  /// Reads the entries of `names`, which override those of `base`.
  ///
  /// - Parameter mayShadow: Whether a name may be the assigned one of another UUID.
  /// - Returns: The names with those of `base`, all problems with their places, and a warning for
  ///   each name that shadows an assigned one.
  package static func read(
    _ entries: [Node.Entry], over base: AttributeNames, mayShadow: Bool
  ) -> (names: AttributeNames, problems: [Problem], warnings: [Problem]) {
    var (problems, warnings): ([Problem], [Problem]) = ([], [])
    let names = read(
      entries.map { ($0.key, DescriptionNode($0.value), "\($0.keyPlace)") }, over: base,
      mayShadow: mayShadow
    ) { index, problem in
      let entry = entries[index]
      switch problem {
      case .uuid(let expected):
        problems.append(entry.value.problem(expected: expected))
      case .name(let message, let expected):
        problems.append(Problem(message, expected: expected).at(keyOf: entry))
      case .shadow(let message): warnings.append(Problem(message).at(keyOf: entry))
      case .description(let problem):
        problems.append(problem.placed(in: entries, of: entry))
      }
    }
    return (names, problems, warnings)
  }
}

extension DescriptionNode {
  /// The value of a node, without its place.
  package init(_ node: Node) {
    switch node.content {
    case .scalar(let text, let isPlain): self.init(.scalar(text, isPlain: isPlain))
    case .sequence(let nodes): self.init(.sequence(nodes.map { DescriptionNode($0) }))
    case .mapping(let entries):
      self.init(.mapping(entries.map { Entry($0.key, DescriptionNode($0.value)) }))
    }
  }
}

extension DescriptionProblem {
  /// The problem at its place.
  ///
  /// - Parameter entry: The entry whose place it has if its own cannot be found.
  fileprivate func placed(in entries: [Node.Entry], of entry: Node.Entry) -> Problem {
    let problem = Problem(message, expected: expected, nearest: nearest)
    guard let top = entries.first(where: { $0.key == path.first }) else {
      return problem.at(keyOf: entry)
    }
    var (found, key): (Node, Node.Entry?) = (top.value, top)
    for step in path.dropFirst() {
      if let next = found.mapping?.first(where: { $0.key == step }) {
        (found, key) = (next.value, next)
      } else if let index = Int(step), let nodes = found.sequence, nodes.indices.contains(index) {
        (found, key) = (nodes[index], nil)
      } else {
        break
      }
    }
    if isOfKey, let key { return problem.at(keyOf: key) }
    return problem.at(found)
  }
}
