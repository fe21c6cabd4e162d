// Each rule on samples: it finds what is wrong, and lets pass what is right.

import Foundation
import Testing

@Suite("Rules on samples")
struct RuleSampleTests {
  private func source(_ text: String, at path: String = "Sources/Bluetooth/A.swift") -> SourceFile {
    SourceFile(path, text)
  }

  private func package(_ targets: [(String, [String])], library: [String] = []) throws
    -> PackageDescription
  {
    let list = targets.map { name, needs in
      [
        "name": name, "type": name.hasSuffix("Tests") ? "test" : "regular",
        "dependencies": needs.map { ["byName": [$0, NSNull()]] },
      ] as [String: Any]
    }
    let product =
      ["name": "Sample", "targets": library, "type": ["library": ["automatic"]]] as [String: Any]
    let json = try JSONSerialization.data(withJSONObject: ["products": [product], "targets": list])
    return try JSONDecoder().decode(PackageDescription.self, from: json)
  }

  // MARK: Masking

  @Test(
    "comments and string contents are no code, interpolations are",
    arguments: [
      ("a // b", "a     "),
      ("a /* b /* c */ d */ e", "a                   e"),
      (#"a("b")"#, #"a(" ")"#),
      (#"a("b\"c") d"#, #"a("    ") d"#),
      (#""b \(c("d") + e) f""#, #""    c(" ") + e   ""#),
      (##"#"a\(b) "c"# d"##, ##" "        "  d"##),
      ("\"\"\"\na \"b\"\n\"\"\" c", "\"\"\"\n     \n\"\"\" c"),
    ]
  )
  func masking(text: String, code: String) {
    #expect(Masking.codeOnly(text) == code)
  }

  // MARK: Imports

  @Test(
    "an import that the part may not have is found, however it is written",
    arguments: [
      "import DBus", "public import DBus", "@testable import DBus",
      "@_spi(X) public import struct DBus.Message",
    ]
  )
  func badImport(line: String) {
    let found = ImportRules.check(source("// A.\n\nimport Signals\n\(line)\n"))
    #expect(
      found.map(\.description) == ["Sources/Bluetooth/A.swift:4: Bluetooth may not import DBus"]
    )
  }

  @Test("the simulator does not import the client, and no library the host controller")
  func keptApart() {
    for (path, module) in [
      ("Sources/BlueZSimulator/A.swift", "BlueZ"), ("Sources/BlueZ/A.swift", "HostController"),
      ("Sources/Jobs/A.swift", "DBus"), ("Sources/SimulatedDevices/A.swift", "BlueZInterfaces"),
      ("Sources/Signals/A.swift", "Foundation"), ("Sources/blerun/A.swift", "Fixtures"),
    ] {
      #expect(ImportRules.check(source("import \(module)", at: path)).count == 1, "\(path)")
    }
  }

  @Test("an import in a comment is none")
  func commentedImport() {
    #expect(
      ImportRules.check(source("// import DBus\n/*\nimport DBus\n*/\nimport Signals\n")) == []
    )
  }

  @Test("a source of a part that the architecture does not know is found")
  func unknownPart() {
    #expect(ImportRules.check(source("", at: "Sources/Extras/A.swift")).count == 1)
  }

  @Test("an arrow that must not be, also through another part, and an idle one are found")
  func badDependencies() throws {
    let package = try package([
      ("Bluetooth", ["Signals"]), ("Jobs", ["BlueZ"]), ("BlueZ", ["DBus"]), ("DBus", []),
      ("Signals", []), ("Extras", []),
    ])
    let files = [
      source("import BlueZ", at: "Sources/Jobs/A.swift"),
      source("import DBus", at: "Sources/BlueZ/A.swift"),
    ]
    #expect(
      ImportRules.check(package, files: files).map(\.problem) == [
        "Bluetooth declares Signals and never imports it",
        "Jobs must not reach DBus: chains and devices know Bluetooth, not the way that BlueZ offers it",
        "the architecture has no part Extras",
      ]
    )
  }

  @Test("a test that imports what its target does not declare is found")
  func undeclaredInTest() throws {
    let package = try package([("JobsTests", ["Jobs"])])
    let file = source("import DBus\nimport Jobs\nimport Testing", at: "Tests/JobsTests/A.swift")
    #expect(ImportRules.check(test: file, in: package).map(\.line) == [1])
  }

  // MARK: Sizes

  @Test("a file one line too long is found, in sources sooner than in tests")
  func fileLength() {
    let lines = { String(repeating: "x\n", count: $0) }
    #expect(SizeRules.checkFile(source(lines(400))) == [])
    #expect(SizeRules.checkFile(source(lines(401))).count == 1)
    #expect(SizeRules.checkFile(source(lines(600), at: "Tests/ATests/A.swift")) == [])
    #expect(SizeRules.checkFile(source(lines(601), at: "Tests/ATests/A.swift")).count == 1)
  }

  @Test(
    "a function of seventy lines is found, one of sixty-nine is not",
    arguments: ["  func a() {", "  public init(a: Int) {", "  func a(\n    b: Int\n  ) throws {"]
  )
  func functionLength(head: String) {
    let headLines = head.split(separator: "\n").count
    let sample = { (count: Int) in
      let body = String(repeating: "    x\n", count: count - headLines - 1)
      return "struct A {\n  func before() -> Int\n\(head)\n\(body)  }\n}\n"
    }
    #expect(SizeRules.checkFunctions(source(sample(69))) == [])
    #expect(SizeRules.checkFunctions(source(sample(70))).map(\.line) == [3])
  }

  @Test("a suite that starts programs and is not blocking is found")
  func blocking() {
    let start = "@Suite(\"S\"|)\nstruct S {\n  let ended = try blerun(\"run\")\n}\n"
    func check(_ traits: String, at path: String = "Tests/ATests/A.swift") -> [Int] {
      let text = start.replacingOccurrences(of: "|", with: traits)
      return BlockingRules.check(source(text, at: path)).map(\.line)
    }
    #expect(check("") == [1])
    #expect(check(", .serialized") == [1])
    #expect(check(", .blocking, .serialized") == [])
    #expect(check("", at: "Tests/Fixtures/A.swift") == [])
    #expect(check("", at: "Sources/A/A.swift") == [])
  }

  // MARK: Forbidden names

  @Test(
    "every forbidden name is found in code, and not in a comment or a string",
    arguments: [
      "let a = UUID()", "let a = Date()", "let a = Date.now", "Int.random(in: 0..<9)",
      "a.shuffled()", "a.randomElement()", "var g = SystemRandomNumberGenerator()",
      "ContinuousClock.now", "let a: SuspendingClock", "clock_gettime(0, &a)", "time(nil)",
      "try await Task.sleep(for: a)", "Thread.sleep(1)", "usleep(1)", "Task { a }", "Task{ a }",
      "Task(priority: .low) { a }", "Task<Int, Never> { 1 }", "Task.detached { a }",
      "Task.immediate { a }", "Task(executorPreference: loop) { a }",
      "return Task<Int, Never> { 1 }", "DispatchQueue.main", "DispatchSemaphore(value: 0)",
      "@MainActor func a()", "print(a)", "debugPrint(a)", "fputs(a, stdout)", "Mutex(0)",
      "pthread_mutex_lock(a)", "static var a = 0", "nonisolated(unsafe) static var a: Int = 0",
      "let a = Guarded<(@Sendable () -> Void)?>(nil)", "let a = Guarded({ b in c })",
    ]
  )
  func forbidden(code: String) throws {
    let samples = ["  \(code)", "  // \(code)", "  let text = \"\(code)\""]
    let found = try samples.map { try NameRules.check([source($0)], exceptions: []).count }
    #expect(found == [1, 0, 0])
  }

  @Test(
    "what only looks like a forbidden name passes",
    arguments: [
      "BluetoothUUID()", "Int.random(in: 0..<9, using: &generator)", "a.print(b)",
      "Task.isCancelled", "loop.task { a }", "let a: Task<Int, any Error>",
      "func a() -> Task<Int, Never> {", "withUnsafeCurrentTask { a }",
      "static var a: Int { 0 }", "@TaskLocal static var a: Int? = nil", "blueprint(a)",
      "loop.sleep(for: a)", "static let a = 0", "  var a = 0",
      "Guarded<Task<Int, Never>?>(nil)", "Guarded(State())",
    ]
  )
  func allowed(code: String) throws {
    #expect(try NameRules.check([source(code)], exceptions: []) == [])
  }

  @Test("an exception is for one name in one file, and is found when nobody needs it")
  func exceptions() throws {
    let exception = NameException("Sources/A/A.swift", "print", "a sample")
    let check = { (path: String, text: String) in
      try NameRules.check([source(text, at: path)], exceptions: [exception]).map(\.description)
    }
    #expect(try check("Sources/A/A.swift", "print(a)") == [])
    #expect(try check("Sources/A/A.swift", "print(a)\nUUID()").count == 1)
    #expect(try check("Sources/A/B.swift", "print(a)").count == 2)
    #expect(
      try check("Sources/A/A.swift", "a")
        == ["Sources/A/A.swift: needs no exception for print any more"]
    )
  }

  // MARK: Words, layout, links

  @Test(
    "empty words in names are found, the field's own names pass",
    arguments: [
      ("final class LinkManager {}", 1), ("enum Utils {}", 1), ("struct CoreLink {}", 1),
      ("protocol BusHelper {}", 1), ("static let shared = A()", 1),
      ("enum AgentManager1 {}", 0), ("struct ObjectManagerCalls {}", 0), ("struct Scored {}", 0),
      ("struct Uncommon {}", 0), ("let shared = 1", 0),
    ]
  )
  func words(code: String, count: Int) {
    #expect(WordRules.check(source(code)).count == count)
  }

  @Test("empty words in paths are found")
  func wordsInPaths() {
    #expect(WordRules.check(source("", at: "Sources/Bluetooth/Helpers/A.swift")).count == 1)
    #expect(WordRules.check(source("", at: "Sources/Bluetooth/Array+Utils.swift")).count == 1)
  }

  @Test("a stranger in the project's folder is found")
  func strangers() {
    let entries: [ProjectFolder.Entry] = [
      .init(name: "Sources", isFolder: true), .init(name: "scripts", isFolder: true),
      .init(name: "Makefile", isFolder: false), .init(name: "notes.txt", isFolder: false),
    ]
    #expect(LayoutRules.check(entries).map(\.path) == ["scripts", "notes.txt"])
  }

  @Test(
    "a file that does not say what it is for is found",
    arguments: [
      ("// What a link is.\n\nimport A\n", 0), ("import A\n", 1), ("//\n// A.swift\n", 1),
      ("// What a link is.\nimport A\n", 1), ("// What a link is.\n// Created by me.\n\n", 1),
      ("// swift-tools\n", 0), ("", 1),
    ]
  )
  func header(text: String, count: Int) {
    #expect(LayoutRules.checkHeader(source(text)).count == count)
  }

  @Test("an empty target, and a folder without a target, are found")
  func targets() throws {
    let package = try package([("DBus", []), ("Jobs", []), ("Bluetooth", []), ("JobsTests", [])])
    let files = [
      source("let a = 1", at: "Sources/DBus/Values/A.swift"),
      source("let a = 1", at: "Sources/Jobs/Placeholder.swift"),
      source("// Nothing yet.\n", at: "Sources/Bluetooth/A.swift"),
      source("let a = 1", at: "Sources/Extras/A.swift"),
    ]
    #expect(
      LayoutRules.check(package, files: files).map(\.path)
        == ["Sources/Jobs", "Sources/Bluetooth", "Tests/JobsTests", "Sources/Extras/A.swift"]
    )
  }

  @Test("paths of one machine are found, parts of other paths are not")
  func machinePaths() {
    let bad = ["work", "root", "home"].map { "see /\($0)/a" }.joined(separator: "\n")
    #expect(LayoutRules.checkPaths(source(bad)).map(\.line) == [1, 2, 3])
    #expect(LayoutRules.checkPaths(source("/run/root/a $root/dev Tests/work/a")) == [])
  }

  @Test("a library product that reaches a part for the executable only is found")
  func reach() throws {
    let package = try package(
      [("BlueZ", ["DBus"]), ("DBus", ["HostController"]), ("HostController", [])],
      library: ["BlueZ"]
    )
    #expect(
      LinkRules.check(package).map(\.problem) == ["the library Sample reaches HostController"]
    )
  }

  @Test("a target that was compiled to link a library is found in its objects")
  func linked() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "objects-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = folder.appending(path: "BlueZ.build/Link")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data("\u{0}\(LinkRules.library)\u{0}".utf8).write(to: place.appending(path: "A.swift.o"))
    let package = try package([("BlueZ", [])], library: ["BlueZ"])
    #expect(try LinkRules.check(package, built: BuildFolder(folder)).count == 1)
  }

  @Test("an executable that needs the library is found, and one that should and does not")
  func executables() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "executables-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, needed) in [("benchmarks", LinkRules.file), ("blerun", "libc.so")] {
      let place = folder.appending(path: name)
      try Data("\u{0}\(needed).3\u{0}".utf8).write(to: place)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path)
    }
    let description = """
      {"products": [], "targets": [
        {"name": "benchmarks", "type": "executable", "dependencies": []},
        {"name": "blerun", "type": "executable", "dependencies": []},
        {"name": "other", "type": "executable", "dependencies": []}]}
      """
    let package = try JSONDecoder().decode(PackageDescription.self, from: Data(description.utf8))
    #expect(
      try LinkRules.check(package, built: BuildFolder(folder)).map(\.problem) == [
        "benchmarks is linked with libbluetooth.so",
        "blerun is not linked with libbluetooth.so: this rule sees nothing",
      ]
    )
  }

  @Test("the objects of this build tell what they link: DBus asks for libdbus")
  func objectsAreRead() throws {
    let built = BuildFolder()
    let objects = try built.objects(of: "DBus")
    #expect(try objects.contains { try built.asks($0, for: "-ldbus-1") })
  }
}
