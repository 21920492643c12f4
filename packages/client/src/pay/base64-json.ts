/** Encodes a value as the headers of x402 carry it: JSON in UTF-8, in base64. */
export function encodeBase64Json(value: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** Decodes a header of x402. Throws for anything but base64 of JSON. */
export function decodeBase64Json(text: string): unknown {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}
