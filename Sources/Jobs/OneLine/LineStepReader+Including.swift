// `include` in the one-line form: the steps of another file, in the place of the step.

import Documents

extension LineStepReader {
  /// `include lib/alert.yaml with level=2 with room="next door"`: the same as in a file.
  mutating func include() throws(LineError) -> [Step] {
    let name = try next(StepReader.includeShape)
    guard !name.letters.contains(where: \.isFilled) else {
      let complaint = Complaint("'\(name.text)' stands here", expected: StepReader.includeShape)
      throw LineError(complaint, at: name.place)
    }
    var with: [Node.Entry] = []
    while let word = pop() {
      guard word.isPlain("with") else {
        let complaint = Complaint.unknown("'\(word.text)' stands here", word.text, among: ["with"])
        throw LineError(complaint, at: word.place)
      }
      with.append(try binding())
    }
    func entry(_ key: String, _ content: Node.Content, _ place: Place) -> Node.Entry {
      let value = Node(content, at: place, path: "")
      return Node.Entry(key: key, keyPlace: first.place, value: value)
    }
    var entries = [entry("include", .scalar(name.template, isPlain: false), name.place)]
    if !with.isEmpty { entries.append(entry("with", .mapping(with), first.place)) }
    var reader = StepReader(limits: limits, surroundings)
    reader.scope = scope
    let step = Node(.mapping(entries), at: first.place, path: "")
    let steps = reader.include(step, depth: depth)
    (scope, surroundings) = (reader.scope, reader.surroundings)
    guard reader.problems.isEmpty else { throw LineError(reader.problems) }
    return steps
  }

  /// `level=2`, a value for a variable of the file.
  private mutating func binding() throws(LineError) -> Node.Entry {
    let expected = "a variable of the file with its value, such as level=2"
    let word = try next(expected)
    guard let sign = word.firstIndex(of: "="), !word.part(0..<sign).isValue else {
      throw LineError(Complaint("'\(word.text)' stands here", expected: expected), at: word.place)
    }
    let key = word.part(0..<sign).text
    guard VariablePath.isName(key) else {
      let complaint = Complaint("'\(key)' is no name", expected: VariablePath.shape)
      throw LineError(complaint, at: word.place)
    }
    let value = word.part(sign + 1..<word.letters.count)
    guard let text = MessageTemplate(value.template)?.constant else {
      let known = "a value that is known before the chain runs"
      let complaint = Complaint("'\(value.text)' stands here", expected: known)
      throw LineError(complaint, at: value.place)
    }
    let node = Node(.scalar(text, isPlain: !value.isValue), at: value.place, path: "")
    return Node.Entry(key: key, keyPlace: word.place, value: node)
  }
}

extension [[LineWord]] {
  /// The files that the steps include, also those of blocks.
  var includedNames: [String] {
    flatMap { words -> [String] in
      let inner = words.flatMap { $0.block?.includedNames ?? [] }
      guard words.count > 1, words[0].isPlain("include") else { return inner }
      return [words[1].text] + inner
    }
  }

  /// The names under which steps capture their values, also those of blocks.
  var capturedNames: [String] {
    flatMap { words -> [String] in
      let own = zip(words, words.dropFirst()).filter { $0.0.isPlain("as") }.map(\.1.text)
      return own + words.flatMap { $0.block?.capturedNames ?? [] }
    }
  }
}
