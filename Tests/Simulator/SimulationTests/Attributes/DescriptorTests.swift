// Descriptors of a simulated device.

import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import Testing

@Suite("Descriptors on a simulated device")
struct DescriptorTests {
  private func selector(_ text: String) throws -> DescriptorSelector {
    try DescriptorSelector(parsing: text)
  }

  @Test(
    "a descriptor is read by name, by UUID, by instance and by handle",
    arguments: [
      ("battery/battery-level#0/characteristic-user-description", Array("main".utf8)),
      ("battery/2a19#0/2901", Array("main".utf8)), ("2a19#0/2908#1", [2]),
      ("alert-level/2902", [0, 0]),
    ]
  )
  func reading(text: String, value: [UInt8]) throws {
    let simulation = try Simulation.bench()
    let selector = try selector(text)
    #expect(try simulation.first { $0.readDescriptor(selector) } == value)
  }

  @Test("a descriptor is read by the handle in the service list")
  func handle() throws {
    let simulation = try Simulation.bench()
    let services = try simulation.first { $0.services() }
    let descriptor = try #require(
      services.flatMap(\.characteristics).flatMap(\.descriptors).first { $0.uuid.short == 0x2901 }
    )
    let value = try simulation.first {
      $0.readDescriptor(DescriptorSelector(handle: descriptor.handle))
    }
    #expect(value == Array("main".utf8))
  }

  @Test("a descriptor is written where the device permits it, and refused elsewhere")
  func writing() throws {
    let simulation = try Simulation.bench()
    let name = try selector("2a19#0/2901")
    let read = try simulation.first { service in
      service.writeDescriptor(Array("spare".utf8), to: name)
        .flattenMap { service.readDescriptor(name) }
    }
    #expect(read == Array("spare".utf8))
    let other = try selector("2a19#0/2908#0")
    #expect(try simulation.failure { $0.writeDescriptor([9], to: other) }.code == .notPermitted)
  }

  @Test("writing the configuration fails, suggests subscribing, and sends nothing")
  func configuration() throws {
    let simulation = try Simulation.bench()
    let selector = try selector("alert-level/2902")
    let failure = try simulation.failure { $0.writeDescriptor([1, 0], to: selector) }
    #expect(failure.code == .notPermitted)
    #expect(failure.bluez == nil)
    #expect(failure.hint.contains("notifications(_:)"))
  }

  @Test("the failure for a missing or ambiguous descriptor lists the existing ones")
  func missing() throws {
    let simulation = try Simulation.bench()
    let missing = try selector("alert-level/2904")
    let failure = try simulation.failure { $0.readDescriptor(missing) }
    #expect(failure.code == .descriptorMissing)
    #expect(
      failure.meaning.hasSuffix(
        "alert-level has immediate-alert/alert-level/client-characteristic-configuration"
      )
    )
    let ambiguous = try selector("2a19#0/2908")
    let many = try simulation.failure { $0.readDescriptor(ambiguous) }
    #expect(many.code == .ambiguous)
    #expect(
      many.meaning.hasSuffix(
        "battery/battery-level#0/report-reference#0, battery/battery-level#0/report-reference#1"
      )
    )
  }
}
