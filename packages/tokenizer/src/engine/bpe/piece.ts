/** A piece: bytes from `start` to `stop`, the same as words through `view`. */
export type Piece = {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly start: number
  readonly stop: number
}
