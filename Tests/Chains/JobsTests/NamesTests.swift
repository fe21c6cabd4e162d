// `names:` in chains, in included files, in batches and in files of names.

import Bluetooth
import Documents
import Signals
import Testing

@testable import Jobs

@Suite("Names for UUIDs")
struct NamesTests {
  static let soil = "0000a001-1212-efde-1523-785feabcd123"
  static let pump = "0000a002-1212-efde-1523-785feabcd123"

  @Test("a chain accepts names for all attributes and is printed with them")
  func everywhere() throws {
    let plan = try Plan.parse(
      """
      name: Garden
      names: { garden: \(Self.pump), soil: \(Self.soil), Unused: ff01 }
      device: { service: garden }
      steps:
      - read: garden/soil
      - read-descriptor: soil/GARDEN
      - scan: 1s
        service: garden
        service-data: "garden:01"
      - notify: \(Self.soil)
        until: { count: 1 }
        after: { write: soil, value: { u8: 1 } }
      """,
      file: "c"
    )
    #expect(
      plan.description == """
        chain     Garden
        device    a device with garden
        timeout   20s a step
        services  garden
        name      garden = \(Self.pump)
        name      soil = \(Self.soil)

              connect
        1     read garden/soil
        2     read-descriptor soil/garden
        3     scan for 1s service garden service-data garden:01
        4     notify soil after { write soil u8:1 } until 1x
              disconnect
        """
    )
  }

  @Test("names may be declared below the steps that use them")
  func order() throws {
    let plan = try Plan.parse("steps: [{ read: soil }]\nnames: { soil: \(Self.soil) }", file: "c")
    #expect(plan.steps.map(\.title) == ["read soil"])
  }

  @Test("a variable may supply the UUID of a name")
  func variable() throws {
    let text = "variables: { id: 'ff01' }\nnames: { soil: '{id}' }\nsteps: [{ read: soil }]"
    let plan = try Plan.parse(text, file: "c", with: ["id": Self.soil])
    #expect(plan.steps.first?.characteristic?.characteristic.text == Self.soil)
  }

  @Test("names of a chain override those of its caller, which override the assigned names")
  func precedence() throws {
    let given = AttributeNames([
      try AttributeName("soil", BluetoothUUID(short: 0xff01)),
      try AttributeName("charge", BluetoothUUID(short: 0x2a19)),
    ])
    let text = "names: { soil: \(Self.soil) }\nsteps: [{ read: soil }, { read: battery-level }]"
    let plan = try Plan.parse(text, file: "c", names: given)
    #expect(plan.steps.map(\.title) == ["read soil", "read charge"])
    #expect(plan.steps.first?.characteristic?.characteristic.text == Self.soil)
    let line = try Plan.parse(line: "read soil", names: given)
    #expect(line.steps.first?.characteristic?.characteristic == BluetoothUUID(short: 0xff01))
  }

  @Test("the events of a run show the names for steps and for the services of the device")
  func events() throws {
    let uuid = try #require(BluetoothUUID(Self.soil))
    let names = AttributeNames([try AttributeName("soil", uuid)])
    let service = GATTService(
      uuid: uuid, handle: 1, isPrimary: true, includes: [],
      characteristics: [
        GATTCharacteristic(uuid: uuid, handle: 3, properties: [], mtu: nil, descriptors: [])
      ]
    )
    let outcome = StepOutcome.services([service], names: names)
    #expect(TextReport.text(outcome) == "1 service: soil")
    let step = try Plan.parse(line: "services").placedSteps[0].reported
    let json = JSONValue.object(outcome.members(of: step)).text
    #expect(json.ranges(of: #""name":"soil""#).count == 2, "\(json)")

    let bench = RunBench()
    bench.device.answer("read soil", .value([7]))
    bench.run(try Plan.parse(line: "read soil as s; services", names: names))
    #expect(bench.text().contains("1  read soil  07"), "\(bench.text())")
    #expect(bench.json().contains { $0.contains(#""attribute":"soil""#) })
    let listed = bench.endings.compactMap(\.outcome).last { outcome in
      if case .services = outcome { true } else { false }
    }
    #expect(listed == .services([], names: names))
  }

  // MARK: Included files

  @Test("an included file has its own names, which override those of the including file")
  func included() throws {
    let folder = try FolderOfFiles([
      "main.yaml": """
      names: { soil: \(Self.soil), pump: \(Self.pump) }
      steps:
      - include: lib.yaml
      - read: soil
      """,
      "lib.yaml":
        "names: { soil: ff01, own: ff02 }\nsteps: [{ read: soil }, { read: pump }, { read: own }]",
    ])
    let plan = try folder.plan()
    #expect(plan.steps.map(\.title) == ["read soil", "read pump", "read own", "read soil"])
    let uuids = plan.steps.compactMap(\.characteristic).map { "\($0.characteristic)" }
    #expect(uuids == ["ff01", Self.pump, "ff02", Self.soil])
    #expect(plan.names.title(of: BluetoothUUID(short: 0xff02), .service) == "own")
    let leaking = try FolderOfFiles([
      "main.yaml": "steps: [{ include: lib.yaml }, { read: own-name }]",
      "lib.yaml": "names: { own-name: ff02 }\nsteps: [{ read: own-name }]",
    ])
    #expect(leaking.complaints().first?.contains("unknown characteristic 'own-name'") == true)
  }

  @Test("more names than the limit are refused")
  func many() {
    var limits = PlanLimits()
    limits.names = 2
    let text = "names: { a: ff01, b: ff02, c: ff03 }\nsteps: [connect]"
    #expect(Plan.complaints(text, limits: limits) == ["c:1:8: names: more than 2 names"])
  }

  // MARK: Files

  @Test("a file of names accepts the names key of a chain and rejects its other keys")
  func file() throws {
    let folder = try FolderOfFiles([
      "names.yaml": "names:\n  soil: \(Self.soil)\n", "empty.yaml": "",
      "chain.yaml": "names: { soil: ff01 }\nsteps: [connect]",
    ])
    func complaints(_ name: String) -> [String] {
      folder.complaints { _ = try AttributeNames(file: folder.path + "/" + name) }
    }
    let names = try AttributeNames(file: folder.path + "/names.yaml")
    #expect(names.entries.map(\.name) == ["soil"])
    #expect(complaints("empty.yaml") == ["empty.yaml:1:1: the file is empty"])
    #expect(complaints("none.yaml")[0].contains("No such file or directory"))
    #expect(complaints("chain.yaml")[0].contains("unknown key 'steps'"))
    func isNamesFile(_ name: String) -> Bool? {
      Document.keys(at: folder.path + "/" + name).map(NamesFile.recognizes(keys:))
    }
    #expect(isNamesFile("names.yaml") == true)
    #expect(isNamesFile("chain.yaml") == false)
    #expect(isNamesFile("none.yaml") == nil)
  }

  @Test("a file of names may also contain device keys, or only those")
  func keys() throws {
    let folder = try FolderOfFiles([
      "both.yaml": """
      names: { soil: ff01 }
      keys:
        54:48:e6:8f:80:a5: 231D39c1d7cc1ab1aee224cd096db932
        Attic sensor: "00000000000000000000000000000000"
      """,
      "keys.json": #"{ "keys": { "Attic": "231d39c1d7cc1ab1aee224cd096db932" } }"#,
    ])
    let both = try NamesFile(folder.path + "/both.yaml")
    #expect(both.names.entries.map(\.name) == ["soil"])
    let address = try #require(BluetoothAddress("54:48:E6:8F:80:A5"))
    #expect(both.keys.map(\.device) == [.address(address), .name("Attic sensor")])
    let alone = try NamesFile(folder.path + "/keys.json")
    #expect(alone.names == .assigned)
    #expect(alone.keys == [try BindKey("231d39c1d7cc1ab1aee224cd096db932", of: .name("Attic"))])
    #expect(NamesFile.recognizes(keys: ["keys"]) && NamesFile.recognizes(keys: ["keys", "names"]))
    #expect(!NamesFile.recognizes(keys: []))
  }

  // MARK: Batches

  @Test("the names of a batch apply to its devices, its steps and its chain")
  func batch() throws {
    let folder = try FolderOfFiles([
      "own.yaml": """
      names: { soil: \(Self.soil) }
      steps: [{ read: soil }]
      devices: { scan: 1s, service: soil }
      """,
      "other.yaml": """
      names: { soil: \(Self.soil), pump: \(Self.pump) }
      chain: chain.yaml
      devices: [{ service: soil }]
      """,
      "chain.yaml": "names: { pump: ff01 }\nsteps: [{ read: soil }, { read: pump }]",
      "wrong.yaml": "names: { soil: x }\nsteps: [connect]\ndevices: [a]",
    ])
    let own = try Batch.load(path: folder.path + "/own.yaml")
    #expect(own.lines.contains("devices   those of scan for 1s service soil"))
    #expect(own.lines.contains("1     read soil"))
    let other = try Batch.load(path: folder.path + "/other.yaml")
    guard case .listed(let devices) = other.devices, let device = devices.first else {
      Issue.record("no device is listed")
      return
    }
    #expect(device.label == "soil")
    let uuids = device.plan.steps.compactMap(\.characteristic).map { "\($0.characteristic)" }
    #expect(uuids == [Self.soil, "ff01"])
    let wrong = folder.complaints { _ = try Batch.load(path: folder.path + "/wrong.yaml") }
    #expect(wrong.count == 1 && wrong[0].hasPrefix("wrong.yaml:1:16: names.soil: expected a UUID"))
  }

  @Test("the digest of a batch depends on the UUIDs of the names that it uses, and no others")
  func digest() throws {
    func digest(_ names: String) throws -> String {
      let text = "names: { \(names) }\nsteps: [{ read: soil }]\ndevices: [a]"
      let folder = try FolderOfFiles(["b.yaml": text])
      return try Batch.load(path: folder.path + "/b.yaml").digest
    }
    let first = try digest("soil: ff01")
    #expect(try digest("soil: ff01, pump: ff02") == first)
    #expect(try digest("soil: ff03") != first)
  }
}
