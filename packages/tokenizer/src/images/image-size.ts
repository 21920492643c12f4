/** Pixels of an image. */
export type ImageSize = { readonly width: number; readonly height: number }
