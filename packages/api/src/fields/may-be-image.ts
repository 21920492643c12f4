const declared = /^data:image\/(png|jpe?g|gif|webp)[;,]/i

/** How files begin in base64: PNG, JPEG, GIF, WebP, BMP, TIFF, and AVIF or HEIC. */
const beginnings = /^(iVBORw|\/9j\/|R0lGOD|UklGR|Qk|SUkqA|TU0AK|.{6}Z0eX)/

/**
 * Whether a `data:` URL may hold an image. Vendors reject other bytes, but only after the payment.
 * White space, percent signs and other media types are not judged: some decode them.
 */
export function mayBeImage(url: string): boolean {
  if (!declared.test(url)) return true
  const start = url.indexOf(',') + 1
  const beginning = url.slice(start, start + 16).replaceAll('_', '/')
  return /[\s%]/.test(beginning) || beginnings.test(beginning)
}
