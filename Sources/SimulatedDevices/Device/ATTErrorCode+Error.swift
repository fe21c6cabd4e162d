// An error code of the Attribute Protocol as the failure of a result.

public import Bluetooth

extension ATTErrorCode: Error {}
