/** The pieces of a body. Not every browser can iterate a stream. */
export async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (body === null) return
  const reader = body.getReader()
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      yield piece.value
    }
  } finally {
    // A stream that has failed cannot be canceled.
    await reader.cancel().catch(() => undefined)
  }
}
