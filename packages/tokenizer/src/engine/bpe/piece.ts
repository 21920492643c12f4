/** A piece: the bytes from `start` to `stop`; `view` reads them as words. */
export type Piece = {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly start: number
  readonly stop: number
}

export type MutablePiece = { -readonly [Key in keyof Piece]: Piece[Key] }
