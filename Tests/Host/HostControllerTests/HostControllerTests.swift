// Requests to the kernel, and how its answers and refusals are reported.

import Bluetooth
import Glibc
import Testing

@testable import HostController

@Suite("Host controller")
struct HostControllerTests {
  private let link: LinkIdentity
  private let connections: [KernelConnection]

  init() throws {
    let address = try #require(BluetoothAddress("C0:FF:EE:00:00:01"))
    let other = try #require(BluetoothAddress("C0:FF:EE:00:00:02"))
    link = LinkIdentity(adapter: "hci1", address: address)
    connections = [
      KernelConnection(handle: 0x0010, address: other),
      KernelConnection(handle: 0x0040, address: address),
    ]
  }

  /// A script in which the link has the handle 0x40.
  private func script(rssi: HCIAnswer, power: HCIAnswer) -> ScriptedKernel {
    ScriptedKernel(
      ScriptedKernel.Script(
        connections: .success(connections),
        commands: [
          .readRSSI(0x40): .success(rssi), .readTransmitPower(0x40): .success(power),
        ]
      )
    )
  }

  /// The failure of measuring the link.
  private func failure(of kernel: ScriptedKernel) async -> DeviceFailure? {
    await #expect(throws: DeviceFailure.self) {
      try await HostController(kernel: kernel).strength(of: link)
    }
  }

  @Test("a link is measured by its handle on its own adapter")
  func measured() async throws {
    let kernel = script(rssi: .done([0x40, 0x00, 0xce]), power: .done([0x40, 0x00, 0x04]))
    let strength = try await HostController(kernel: kernel).strength(of: link)
    #expect(strength == LinkStrength(rssi: -50, txPower: 4))
    #expect(kernel.questions == ["connections of 1", "1405 of 1", "c2d of 1"])
  }

  @Test(
    "the TX power is omitted when the controller does not report it",
    arguments: [HCIAnswer.refused(.unknownCommand), .done([0x40, 0x00, 0x7f]), .done([])]
  )
  func withoutPower(power: HCIAnswer) async throws {
    let kernel = script(rssi: .done([0x40, 0x00, 0xce]), power: power)
    let strength = try await HostController(kernel: kernel).strength(of: link)
    #expect(strength == LinkStrength(rssi: -50, txPower: nil))
  }

  @Test("a missing or just ended connection is a transient failure")
  func noLink() async {
    let without = await failure(of: ScriptedKernel(ScriptedKernel.Script()))
    #expect(without?.code == .notConnected)
    #expect(without?.class == .passing)
    let ended = script(rssi: .refused(.unknownConnection), power: .done([]))
    #expect(await failure(of: ended)?.code == .notConnected)
  }

  @Test(
    "a controller that does not report the RSSI is a permanent failure",
    arguments: [HCIAnswer.done([0x40, 0x00, 0x7f]), .refused(.unknownCommand)]
  )
  func unknown(rssi: HCIAnswer) async {
    let failure = await failure(of: script(rssi: rssi, power: .done([])))
    #expect(failure?.code == .notSupported)
    #expect(failure?.class == .definite)
  }

  @Test("a name that the kernel does not assign is reported as an unknown adapter")
  func otherName() async throws {
    let controller = HostController(kernel: script(rssi: .done([]), power: .done([])))
    let failure = await #expect(throws: DeviceFailure.self) {
      try await controller.strength(of: LinkIdentity(adapter: "usb0", address: link.address))
    }
    #expect(failure?.code == .adapterMissing)
  }

  @Test("adapters are listed in order, each with the kernel's information about it")
  func adapters() async throws {
    let information: [UInt8] = [
      0x23, 0x00, 0x00, 0x01, 0xaa, 0x00, 0x0b, 0xf1, 0x05, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02,
      0x00, 0x00,
    ]
    // Controller 2 disappears between the list and the query.
    let kernel = ScriptedKernel(
      ScriptedKernel.Script(
        management: [
          .readIndexList: .done([0x02, 0x00, 0x02, 0x00, 0x00, 0x00]),
          .readInformation(of: 0): .done(information),
        ],
        features: .failure(KernelRefusal(errorNumber: ENODEV))
      )
    )
    let adapters = try await HostController(kernel: kernel).adapters()
    #expect(adapters.map(\.name) == ["hci0"])
    #expect(adapters.first?.specification == "5.2")
    #expect(adapters.first?.manufacturer == 0x05f1)
    #expect(adapters.first?.supported == ["low-energy"])
    #expect(adapters.first?.features == [])
    #expect(kernel.questions == ["3 of 65535", "4 of 0", "4 of 2"])
  }

  @Test(
    "the error for a refused system call names the missing privilege and how to grant it",
    arguments: [
      (
        EPERM, DeviceFailure.Code.capabilityMissing,
        """
        measuring the link: this needs the capability CAP_NET_RAW. \
        Try: sudo setcap cap_net_raw,cap_net_admin+eip "$(command -v blerun)", or run it as root
        """
      ),
      (
        EAFNOSUPPORT, .socketsMissing,
        """
        measuring the link: the kernel has no Bluetooth sockets for this process. \
        Try: load the kernel's bluetooth module; in a container, use the host's network
        """
      ),
    ]
  )
  func sentences(number: Int32, code: DeviceFailure.Code, sentence: String) async {
    let refusal = KernelRefusal(errorNumber: number)
    let kernel = ScriptedKernel(ScriptedKernel.Script(connections: .failure(refusal)))
    let failure = await failure(of: kernel)
    #expect(failure?.code == code)
    #expect(failure?.class == .unavailable)
    #expect(failure?.description == sentence)
  }

  @Test("observed parameters are reported; without any, the failure states what is needed")
  func timing() async throws {
    let parameters = ConnectionParameters(
      interval: .milliseconds(30), latency: 0, supervisionTimeout: .milliseconds(420)
    )
    let known = link.address
    let kernel = ScriptedKernel(ScriptedKernel.Script())
    let tracing = HostController(kernel: kernel) { address, controller in
      address == known && controller == 1 ? parameters : nil
    }
    #expect(try await tracing.parameters(of: link) == parameters)
    let other = LinkIdentity(adapter: "hci0", address: known)
    let untraced = await #expect(throws: DeviceFailure.self) {
      try await tracing.parameters(of: other)
    }
    #expect(untraced?.code == .timingUnknown)
    let withoutTrace = await #expect(throws: DeviceFailure.self) {
      try await HostController(kernel: kernel).parameters(of: link)
    }
    #expect(withoutTrace?.code == .timingUnknown)
    #expect(withoutTrace?.class == .unavailable)
    #expect(withoutTrace?.hint == "run with --trace FILE, which needs CAP_NET_RAW")
  }

  // MARK: Changed parameters

  private static let wanted = ConnectionParameters(
    interval: .milliseconds(15), latency: 0, supervisionTimeout: .seconds(4)
  )

  /// A kernel in which these packets follow a command that changes the link, whose handle is 0x40.
  private func kernel(
    _ command: HCICommand, _ packets: [[UInt8]], refusal: KernelRefusal? = nil
  ) -> ScriptedKernel {
    ScriptedKernel(
      ScriptedKernel.Script(
        connections: .success(connections), changes: [command: packets], changeRefusal: refusal
      )
    )
  }

  private let update = ConnectionUpdate(handle: 0x40, wanted: Self.wanted)

  @Test("parameters are changed by the handle of the link, and what was agreed on is returned")
  func changed() async throws {
    let agreed = ConnectionParameters(
      interval: .milliseconds(15), latency: 0, supervisionTimeout: .seconds(5)
    )
    // Command Status, then LE Connection Update Complete: interval 12, latency 0, timeout 500.
    let kernel = kernel(
      update.command,
      [
        [0x04, 0x0f, 0x04, 0x00, 0x01, 0x13, 0x20],
        [0x04, 0x3e, 0x0a, 0x03, 0x00, 0x40, 0x00, 0x0c, 0x00, 0x00, 0x00, 0xf4, 0x01],
      ]
    )
    let got = try await HostController(kernel: kernel).change(link, to: Self.wanted)
    #expect(got == agreed)
    #expect(kernel.questions == ["connections of 1", "2013 of 1"])
  }

  @Test(
    "a refused change is permanent, one that meets another procedure or a lost link is transient",
    arguments: [
      (0x3b, DeviceFailure.Code.refused, false), (0x3a, .busy, true), (0x0c, .busy, true),
      (0x01, .notSupported, false), (0x02, .notConnected, true),
    ] as [(UInt8, DeviceFailure.Code, Bool)]
  )
  func unchanged(status: UInt8, code: DeviceFailure.Code, isTransient: Bool) async {
    let kernel = kernel(update.command, [[0x04, 0x0f, 0x04, status, 0x01, 0x13, 0x20]])
    let failure = await #expect(throws: DeviceFailure.self) {
      try await HostController(kernel: kernel).change(link, to: Self.wanted)
    }
    #expect(failure?.code == code)
    #expect(failure?.class == (isTransient ? .passing : .definite))
    #expect(failure?.operation == "changing the connection parameters")
  }

  @Test("a change without the privilege fails, and names the capability")
  func unprivilegedChange() async {
    let refusal = KernelRefusal(errorNumber: EPERM)
    let parameters = HostController(kernel: kernel(update.command, [], refusal: refusal))
    let phy = HostController(kernel: kernel(phyUpdate.command, [], refusal: refusal))
    let failures = [
      await #expect(throws: DeviceFailure.self) {
        try await parameters.change(link, to: Self.wanted)
      },
      await #expect(throws: DeviceFailure.self) { try await phy.change(link, to: .twoMegabit) },
    ]
    for failure in failures {
      #expect(failure?.code == .capabilityMissing)
      #expect(failure?.class == .unavailable)
      #expect(failure?.meaning == "this needs the capability CAP_NET_RAW")
    }
  }

  // MARK: The PHY

  private let phyUpdate = PHYUpdate(handle: 0x40, wanted: .twoMegabit)

  @Test(
    "the PHY is changed by the handle of the link; what was agreed on may be that of before",
    arguments: [
      ([0x02, 0x02], LinkPHY(.twoMegabit)), ([0x01, 0x01], LinkPHY(.oneMegabit)),
      ([0x02, 0x01], LinkPHY(transmit: .twoMegabit, receive: .oneMegabit)),
    ] as [([UInt8], LinkPHY)]
  )
  func changedPHY(octets: [UInt8], agreed: LinkPHY) async throws {
    let kernel = kernel(
      phyUpdate.command,
      [
        [0x04, 0x0f, 0x04, 0x00, 0x01, 0x32, 0x20],
        [0x04, 0x3e, 0x06, 0x0c, 0x00, 0x40, 0x00] + octets,
      ]
    )
    #expect(try await HostController(kernel: kernel).change(link, to: .twoMegabit) == agreed)
    #expect(kernel.questions == ["connections of 1", "2032 of 1"])
  }

  @Test("a refusal after the command was accepted is that of a command for another connection")
  func otherRefusal() async throws {
    let accepted: [UInt8] = [0x04, 0x0f, 0x04, 0x00, 0x01, 0x32, 0x20]
    let agreed: [UInt8] = [0x04, 0x3e, 0x06, 0x0c, 0x00, 0x40, 0x00, 0x02, 0x02]
    for refusal: [UInt8] in [
      [0x04, 0x0f, 0x04, 0x0c, 0x01, 0x32, 0x20], [0x04, 0x0e, 0x04, 0x01, 0x32, 0x20, 0x02],
    ] {
      let kernel = kernel(phyUpdate.command, [accepted, refusal, agreed])
      let phy = try await HostController(kernel: kernel).change(link, to: .twoMegabit)
      #expect(phy == LinkPHY(.twoMegabit))
    }
    // Its own connection ended.
    let kernel = kernel(
      phyUpdate.command, [accepted, [0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x08], agreed]
    )
    let failure = await #expect(throws: DeviceFailure.self) {
      try await HostController(kernel: kernel).change(link, to: .twoMegabit)
    }
    #expect(failure?.code == .notConnected)
  }

  @Test(
    "a failed change of the PHY says who lacks it",
    arguments: [
      (
        0x01, DeviceFailure.Code.notSupported,
        "the adapter cannot change or report the PHY: its controller answered 0x01 Unknown HCI Command"
      ),
      (
        0x11, .notSupported,
        "the adapter lacks the PHY 2m: its controller answered 0x11 Unsupported Feature or Parameter Value"
      ),
      (
        0x1a, .refused,
        "the device cannot change its PHY: the controller answered 0x1a Unsupported Remote Feature"
      ),
      (0x0c, .busy, "the controller answered 0x0c Command Disallowed"),
      (0x1f, .refused, "the controller answered 0x1f Unspecified Error"),
      (0x02, .notConnected, "the kernel has no connection to it"),
    ] as [(UInt8, DeviceFailure.Code, String)]
  )
  func unchangedPHY(status: UInt8, code: DeviceFailure.Code, meaning: String) async {
    let packets: [[[UInt8]]] = [
      [[0x04, 0x0f, 0x04, status, 0x01, 0x32, 0x20]],
      [[0x04, 0x0e, 0x04, 0x01, 0x32, 0x20, status]],
      [
        [0x04, 0x0f, 0x04, 0x00, 0x01, 0x32, 0x20],
        [0x04, 0x3e, 0x06, 0x0c, status, 0x40, 0x00, 0x01, 0x01],
      ],
    ]
    for packets in packets {
      let controller = HostController(kernel: kernel(phyUpdate.command, packets))
      let failure = await #expect(throws: DeviceFailure.self) {
        try await controller.change(link, to: .twoMegabit)
      }
      #expect(failure?.code == code)
      #expect(failure?.meaning == meaning)
      #expect(failure?.operation == "changing the PHY")
    }
  }

  /// Reads the PHY from a controller that answers so.
  private func phy(_ answer: Result<HCIAnswer, KernelRefusal>) async throws -> LinkPHY {
    let script = ScriptedKernel.Script(
      connections: .success(connections), commands: [.readPHY(0x40): answer]
    )
    return try await HostController(kernel: ScriptedKernel(script)).phy(of: link)
  }

  @Test("the PHY is read by the handle of the link")
  func readPHY() async throws {
    let read = try await phy(.success(.done([0x40, 0x00, 0x02, 0x03])))
    #expect(read == LinkPHY(transmit: .twoMegabit, receive: .coded))
  }

  @Test(
    "a PHY that cannot be read is a permanent failure, without the privilege an unavailable one",
    arguments: [
      (.success(.refused(.unknownCommand)), .notSupported, .definite),
      (.success(.done([0x40, 0x00, 0x04, 0x01])), .notSupported, .definite),
      (.success(.done([0x40, 0x00, 0x01])), .notSupported, .definite),
      (.success(.refused(.unknownConnection)), .notConnected, .passing),
      (.failure(KernelRefusal(errorNumber: EPERM)), .capabilityMissing, .unavailable),
    ] as [(Result<HCIAnswer, KernelRefusal>, DeviceFailure.Code, FailureClass)]
  )
  func unreadPHY(
    answer: Result<HCIAnswer, KernelRefusal>, code: DeviceFailure.Code, class: FailureClass
  ) async {
    let failure = await #expect(throws: DeviceFailure.self) { try await phy(answer) }
    #expect(failure?.code == code)
    #expect(failure?.class == `class`)
  }

  @Test("an adapter held by another program is a transient failure")
  func held() async {
    let refusal = KernelRefusal(errorNumber: EBUSY)
    let kernel = ScriptedKernel(ScriptedKernel.Script(connections: .failure(refusal)))
    #expect(await failure(of: kernel)?.class == .passing)
  }
}
