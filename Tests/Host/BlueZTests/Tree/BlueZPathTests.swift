// Object paths, built and read back.

import BlueZInterfaces
import Bluetooth
import DBus
import Testing

@Suite("BlueZ paths")
struct BlueZPathTests {
  @Test(
    "every path parses to the values it was built from",
    arguments: [
      "/org/bluez", "/org/bluez/hci0", "/org/bluez/hci0/dev_C0_FF_EE_00_00_01",
      "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0006",
      "/org/bluez/hci12/dev_C0_FF_EE_00_00_01/service0006/char00ab",
      "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0006/char0007/desc0009",
    ]
  )
  func roundTrip(text: String) throws {
    let path = try ObjectPath(text)
    #expect(try #require(BlueZPath(path)).objectPath == path)
  }

  @Test(
    "paths that bluetoothd does not use are rejected",
    arguments: [
      "/", "/org", "/org/bluez2/hci0", "/org/bluez/hci0/dev_C0_FF_EE",
      "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service6",
      "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/char0007",
      "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0006/char0007/desc0009/more",
    ]
  )
  func unknown(text: String) throws {
    #expect(BlueZPath(try ObjectPath(text)) == nil)
  }

  @Test("handles are four lower-case hexadecimal digits, addresses are upper-case with underscores")
  func building() throws {
    let address = try #require(BluetoothAddress("c0:ff:ee:00:00:01"))
    let device = BlueZPath.device(address, of: BlueZPath.adapter("hci0"))
    let service = BlueZPath.service(0x00AB, of: device)
    let characteristic = BlueZPath.characteristic(declaration: 0x00AC, of: service)
    #expect(
      BlueZPath.descriptor(0x1234, of: characteristic).text
        == "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service00ab/char00ac/desc1234"
    )
    #expect(BlueZPath.devicePath(containing: characteristic) == device)
    #expect(BlueZPath(characteristic)?.handle == 0x00AC)
  }
}
