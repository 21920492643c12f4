/** Keeps pictures up to a number of bytes; new ones replace the oldest. */
export type ImageStore = {
  keep(id: string, png: Buffer): void
  find(id: string): Buffer | undefined
}

export function createImageStore(maxBytes: number): ImageStore {
  const pictures = new Map<string, Buffer>()
  let bytes = 0
  return {
    keep(id, png) {
      pictures.set(id, png)
      bytes += png.length
      for (const [oldest, picture] of pictures) {
        if (bytes <= maxBytes || oldest === id) break
        pictures.delete(oldest)
        bytes -= picture.length
      }
    },
    find: (id) => pictures.get(id),
  }
}
