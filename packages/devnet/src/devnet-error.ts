export type DevnetErrorCode =
  | 'invalid_option'
  | 'unsupported_platform'
  | 'start_failed'
  | 'state_in_use'
  | 'rpc_failed'
  | 'bad_devnet_file'

/** Every error that this package throws; `code` is stable. */
export class DevnetError extends Error {
  override readonly name = 'DevnetError'
  readonly code: DevnetErrorCode
  constructor(code: DevnetErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
