/** An unsigned big-endian number; `NaN` if it is not within the bytes. */
export function numberAt(bytes: Uint8Array, start: number, length: number): number {
  let value = 0
  for (let index = start; index < start + length; index += 1) {
    value = value * 256 + (bytes[index] ?? Number.NaN)
  }
  return value
}

/** An unsigned little-endian number; `NaN` if it is not within the bytes. */
export function littleNumberAt(bytes: Uint8Array, start: number, length: number): number {
  let value = 0
  for (let index = start + length - 1; index >= start; index -= 1) {
    value = value * 256 + (bytes[index] ?? Number.NaN)
  }
  return value
}

/** Text of one byte a character. */
export function asciiAt(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length))
}
