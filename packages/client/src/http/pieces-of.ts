/** The pieces of a body. Not every browser can iterate a stream. */
export async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (body === null) return
  const reader = body.getReader()
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      yield piece.value
    }
  } finally {
    // A stream that has failed cannot be canceled, and that of a clone is canceled only with the other one.
    void reader.cancel().catch(() => undefined)
  }
}
