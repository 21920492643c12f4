/** A picture whose bytes are in its address. */
export type PictureData = { readonly mediaType: string; readonly base64: string }

/** The bytes of a `data:` address; `undefined` for any other. */
export function pictureData(url: string): PictureData | undefined {
  const [, mediaType, base64] = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=]*)$/.exec(url) ?? []
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType, base64 }
}

/** A picture of a chat message, as chat models answer with them. */
export function chatPicture(url: string): object {
  return { type: 'image_url', image_url: { url } }
}

/** A picture as text, for interfaces whose answers have no pictures. */
export function pictureText(url: string): string {
  return `![picture](${url})`
}

const written = String.raw`!\[picture\]\((data:image\/[\w.+-]+;base64,[A-Za-z0-9+/=]*)\)`
const firstWritten = new RegExp(written)
const allWritten = new RegExp(written, 'g')

/**
 * The text of an answer without the pictures that `pictureText` wrote into it, and the first of them:
 * it shows that the answer was not empty, and no model is sent it.
 */
export function readPictures(text: string): {
  readonly text: string
  readonly pictures: readonly object[]
} {
  const [, url] = firstWritten.exec(text) ?? []
  if (url === undefined) return { text, pictures: [] }
  return { text: text.replaceAll(allWritten, ''), pictures: [chatPicture(url)] }
}
