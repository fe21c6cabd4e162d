// The names of libbluetooth, as its table has them.

import HostController
import Testing

@Suite("Company names")
struct LibraryNamesTests {
  @Test(
    "a company identifier has the name that libbluetooth gives it",
    arguments: [
      (UInt16(0x0000), "Ericsson Technology Licensing"), (0x004c, "Apple, Inc."),
      (0x0059, "Nordic Semiconductor ASA"),
    ]
  )
  func known(company: UInt16, name: String) {
    #expect(LibraryNames().name(of: company) == name)
  }

  @Test("an unassigned company identifier has no name", arguments: [UInt16(0xfff0), 0xffff])
  func unknown(company: UInt16) {
    #expect(LibraryNames().name(of: company) == nil)
  }
}
