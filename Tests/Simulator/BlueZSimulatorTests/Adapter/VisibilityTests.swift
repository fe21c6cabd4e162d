// Discoverable and pairable adapters, their timeouts, and conflicting changes.

import BlueZInterfaces
import BlueZSimulator
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Visibility of the adapter")
struct VisibilityTests {
  /// Sets a property of the adapter; returns the changes and the reply, in order.
  private func set(_ name: String, _ value: DBusValue, _ lab: Lab) throws -> [String] {
    lab.client.forget()
    try lab.client.set(name, value, .adapter)
    try lab.pass()
    return lab.client.take()
  }

  @Test("Discoverable and Pairable end after their timeouts, counted from the last change")
  func timeouts() throws {
    for name in ["Discoverable", "Pairable"] {
      let lab = try Lab()
      _ = try set("\(name)Timeout", .uint32(0), lab)
      #expect(try set(name, .boolean(true), lab) == ["Set replied", "hci0 Adapter1 \(name)=true"])
      try lab.pass(.seconds(300))
      #expect(lab.client.take() == [], "0 is for ever")
      _ = try set("\(name)Timeout", .uint32(2), lab)
      try lab.pass(.milliseconds(1900))
      #expect(lab.client.take() == [])
      try lab.pass(.milliseconds(200))
      #expect(lab.client.take() == ["hci0 Adapter1 \(name)=false"])
    }
  }

  @Test("an adapter that is off is not discoverable, nor is one that was just powered off")
  func off() throws {
    let lab = try Lab()
    _ = try set("Discoverable", .boolean(true), lab)
    #expect(
      try set("Powered", .boolean(false), lab) == [
        "hci0 Adapter1 Discoverable=false", "Set replied",
        "hci0 Adapter1 Powered=false Discovering=false",
      ]
    )
    #expect(
      try set("Discoverable", .boolean(true), lab) == [
        "Set failed org.bluez.Error.Failed: Not Powered"
      ]
    )
    _ = try set("DiscoverableTimeout", .uint32(0), lab)
    #expect(try set("Discoverable", .boolean(true), lab).first == "Set replied")
  }

  @Test("setting Powered during a change fails as busy, whatever the new value")
  func busy() throws {
    let lab = try Lab()
    for value in [false, false, true] {
      try lab.client.begin(
        "Set",
        Target.adapter.properties,
        .set("Powered", .boolean(value), of: .adapter)
      )
    }
    try lab.pass(.seconds(1))
    #expect(
      lab.client.take().map { $0.trimmingPrefix("Set failed ").prefix(20) } == [
        "org.bluez.Error.Busy", "org.bluez.Error.Busy", "Set replied", "hci0 Adapter1 Powere",
      ]
    )
  }
}
