import Documents
import Fixtures
import Signals
import Testing

@Suite("Written documents")
struct WrittenNodeTests {
  @Test("lines are indented, remarks are comments, and what YAML could misread is in quotes")
  func text() {
    var step: [WrittenNode.Line<WrittenNode.Entry>] = []
    step.add("write", .plain("fff1"))
    step.remark("one value")
    let flags = WrittenNode.words([.plain("read"), .plain("notify")])
    step.add(
      "after",
      .row([
        .init("read", .plain("180f/2a19")), .init("every", .plain("1.5s")), .init("flags", flags),
      ])
    )
    var numbers: [WrittenNode.Line<WrittenNode>] = []
    numbers.add(.plain("1"), remark: "one")
    numbers.add(.plain("-2"))
    var inner: [WrittenNode.Line<WrittenNode.Entry>] = []
    inner.add("a b", .row([]))
    var steps: [WrittenNode.Line<WrittenNode>] = []
    steps.add(.mapping(step))
    steps.add(.list(numbers))
    steps.add(.plain(""))
    steps.add(.mapping(inner), remark: "a mapping")
    steps.remark("the end")
    var root: [WrittenNode.Line<WrittenNode.Entry>] = []
    root.remark("recorded\nfrom hci0")
    root.add("name", .text("Soil-7"))
    root.add("alias", .text("a \"b\"\n"))
    root.add("0x0499", .quoted("01 02"), remark: "the first of 2 values")
    root.add("connect", .plain(""), remark: "at once")
    root.add("read", .plain("180f/2a19#1"))
    root.add("steps", .list(steps))
    root.add("none", .list([]))
    root.add("empty", .mapping([.remark("nothing")]))
    let node = WrittenNode.mapping(root)
    #expect(
      node.lines == [
        #"# recorded\nfrom hci0"#, "name: Soil-7", #"alias: "a \"b\"\n""#,
        #"0x0499: "01 02" # the first of 2 values"#, "connect: # at once", "read: 180f/2a19#1",
        "steps:", "  - write: fff1", "    # one value",
        #"    after: { read: "180f/2a19", every: 1.5s, flags: [read, notify] }"#,
        "  - - 1 # one", "    - -2", "  - null", "  - # a mapping", #"    "a b": {}"#,
        "  # the end", "none: []", "empty:", "  # nothing", "  {}",
      ]
    )
  }

  @Test("a text is read as a text, whatever it is", arguments: HostileText.all)
  func texts(_ text: String) throws {
    let nodes = [
      WrittenNode.text(text), .mapping([.part(.init("a", .text(text)), remark: text)]),
      .list([.part(.text(text), remark: nil)]), .row([.init("a", .text(text))]),
      .words([.text(text)]),
    ]
    for node in nodes {
      let lines = node.lines.joined(separator: "\n")
      let read = try Document.parse(lines, file: "written")
      #expect(node.difference(from: read) == nil, "\(lines)")
      let value = read.value(of: "a") ?? read.sequence?.first ?? read
      #expect(value.text.map { Array($0.utf8) } == Array(text.utf8), "\(lines)")
      #expect(value.number == nil && value.truth == nil && !value.isNull, "\(lines)")
    }
  }

  /// Numbers and words of this program, and texts that it could take for them.
  private static let words = [
    "", "true", "0", "-5", "1.5", "+3", "0x0499", "10s", "fff1", "180f", "null", "on", "a-b_c",
    "0000a001-1212-efde-1523-785feabcd123", "C0:FF:EE:00:00:01", "180f/2a19#1:read,notify",
    "{name}", "- a", "a: b", "~", "...",
  ]

  private static func node(depth: Int, using generator: inout SeededGenerator) -> WrittenNode {
    func remark() -> String? {
      Bool.random(using: &generator) ? nil : HostileText.random(using: &generator)
    }
    func lines<Part: Hashable & Sendable>(_ parts: [Part]) -> [WrittenNode.Line<Part>] {
      var lines: [WrittenNode.Line<Part>] = []
      for part in parts {
        if let text = remark() { lines.append(.remark(text)) }
        lines.append(.part(part, remark: remark()))
      }
      if let text = remark() { lines.append(.remark(text)) }
      return lines
    }
    func nodes() -> [WrittenNode] {
      let count = Int.random(in: 0...4, using: &generator)
      return (0..<count).map { _ in node(depth: depth + 1, using: &generator) }
    }
    func entries() -> [WrittenNode.Entry] {
      var known: Set<String> = []
      return nodes().compactMap { value in
        let key = HostileText.random(using: &generator)
        let isShort = key.unicodeScalars.count < 160
        return isShort && known.insert(key).inserted ? .init(key, value) : nil
      }
    }
    switch Int.random(in: depth < 5 ? 0...8 : 0...2, using: &generator) {
    case 0: return .plain(words.randomElement(using: &generator) ?? "")
    case 1: return .quoted(HostileText.random(using: &generator))
    case 2: return .text(HostileText.random(using: &generator))
    case 3: return .row(entries())
    case 4: return .words(nodes())
    case 5, 6: return .mapping(lines(entries()))
    // open: random numbers
    default: return .list(lines(nodes()))
    }
  }

  @Test("what is written is read as the same nodes", arguments: 0..<40 as Range<UInt64>)
  func readBack(group: UInt64) throws {
    for seed in group * 50..<(group + 1) * 50 {
      var generator = SeededGenerator(seed: seed, name: "written")
      let node = Self.node(depth: 0, using: &generator)
      let text = node.lines.joined(separator: "\n")
      do {
        let difference = node.difference(from: try Document.parse(text, file: "written"))
        try #require(difference == nil, "seed \(seed):\n\(text)")
      } catch let error as DocumentErrors {
        Issue.record("seed \(seed): \(error)\n\(text)")
      }
    }
  }
}
