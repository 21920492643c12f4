import { base64Bytes } from '../convert/base64-bytes.ts'

/**
 * The first `most` bytes of a base64 `data:` URL; `undefined` for other URLs, and if a character is
 * not base64: some decoders skip such characters, and would read other bytes than these.
 */
export function dataUrlBytes(url: string, most: number): Uint8Array | undefined {
  const [header] = /^data:[^,]{0,200};base64,/i.exec(url.slice(0, 256)) ?? []
  return header === undefined ? undefined : base64Bytes(url, { start: header.length, most })
}
