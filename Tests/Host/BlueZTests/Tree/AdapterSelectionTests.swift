// The choice of an adapter.

import BlueZInterfaces
import Bluetooth
import DBus
import Testing

@testable import BlueZ

@Suite("Adapter selection")
struct AdapterSelectionTests {
  static func tree(_ adapters: [(index: Int, address: String, alias: String, powered: Bool)])
    -> ObjectTree
  {
    var tree = ObjectTree()
    for adapter in adapters {
      _ = tree.apply(
        .added(
          BlueZPath.adapter(BlueZPath.adapterName(index: adapter.index)),
          [
            ListedInterface(
              Adapter1.interface,
              [
                Adapter1.address.name: .string(adapter.address),
                Adapter1.alias.name: .string(adapter.alias),
                Adapter1.powered.name: .boolean(adapter.powered),
              ]
            )
          ]
        )
      )
    }
    return tree
  }

  let three = tree([
    (10, "00:AA:01:00:00:10", "desk", true),
    (2, "00:AA:01:00:00:02", "bench", true),
    (0, "00:AA:01:00:00:00", "built in", false),
  ])

  @Test(
    "an adapter is selected by index, address or alias",
    arguments: [
      ("hci10", "hci10"), ("00:AA:01:00:00:02", "hci2"), ("desk", "hci10"),
    ]
  )
  func named(text: String, name: String) throws {
    #expect(try three.usableAdapter(AdapterSelector(text)).name == name)
  }

  @Test("without a name, the first powered adapter is used, in order of index")
  func first() throws {
    #expect(three.adapters.map(\.name) == ["hci0", "hci2", "hci10"])
    #expect(try three.usableAdapter(.first).name == "hci2")
  }

  @Test("an adapter that is off is reported as off, even if it is the only one")
  func off() throws {
    #expect {
      try three.usableAdapter(.name("hci0"))
    } throws: { error in
      guard case AdapterProblem.off(let adapter)? = error as? AdapterProblem else { return false }
      return adapter.name == "hci0"
    }
  }

  @Test("the error for a missing adapter lists the existing adapters")
  func missing() throws {
    #expect(
      throws: AdapterProblem.missing(
        found: [
          "hci0 (00:AA:01:00:00:00)", "hci2 (00:AA:01:00:00:02)", "hci10 (00:AA:01:00:00:10)",
        ]
      )
    ) {
      try three.usableAdapter(.name("hci7"))
    }
    #expect(throws: AdapterProblem.missing(found: [])) {
      try ObjectTree().usableAdapter(.first)
    }
  }
}
