// The replaceable firmware of a device, as data.
//
// FirmwareServer has the state of a running one.

package import Bluetooth

/// The firmware of a device that is updated over SMP, and the ways in which an update can end.
package struct FirmwareDefinition: Sendable, Hashable {
  /// The behaviour of a new image after the reset that installs it.
  package enum Start: String, CaseIterable, Sendable {
    /// The image starts.
    case starts
    /// The device never advertises.
    case hangs
    /// The image crashes, and the bootloader restores the earlier image, unless the new one is
    /// permanent.
    case reverts
  }

  /// The version of the image that runs at first.
  package var version = FirmwareVersion(1, 0, 0)
  /// The name of the board, as the device states it; nil: it states none.
  package var board: String?
  /// The size of a slot, in bytes.
  package var slotSize = 262_144
  /// The size of a buffer, in bytes: the longest frame that the device receives.
  package var buffer = 384
  /// The number of buffers. More frames at once are dropped.
  package var buffers = 4
  /// The time in which the device handles a frame.
  package var work = Duration.milliseconds(5)
  /// The time from a reset until the device advertises again.
  package var restart = Duration.seconds(2)
  /// Whether the device refuses every image.
  package var isRefusing = false
  package var start = Start.starts
  /// The address after an update; nil: it stays.
  package var nextAddress: BluetoothAddress?

  package init() {}
}
