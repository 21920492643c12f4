/** A part of an address without its percent-encoding; as it is where that is not valid. */
export function percentDecoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
