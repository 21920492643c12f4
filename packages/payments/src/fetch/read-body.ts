/** The bytes of a body; undefined when there are more than the limit. */
export async function readBody(
  request: Request,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (request.body === null) return new Uint8Array()
  const pieces: Uint8Array[] = []
  let length = 0
  const body: ReadableStream<Uint8Array> = request.body
  for await (const piece of body) {
    length += piece.byteLength
    if (length > limit) return undefined
    pieces.push(piece)
  }
  return new Uint8Array(Buffer.concat(pieces))
}
